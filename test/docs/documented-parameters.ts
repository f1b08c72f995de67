const configs = '/v2/storage/components/{componentId}/configs'
const config = `${configs}/{configId}`
const row = `${config}/rows/{rowId}`
const table = '/v2/storage/tables/{tableId}'
const bucket = '/v2/storage/buckets/{bucketId}'

const page = ['limit', 'offset']
const events = [
  ...page,
  'sinceId',
  'maxId',
  'forceUuid',
  'component',
  'configurationId',
  'runId',
  'q',
  'sortOrder',
]
const csv = [
  'delimiter',
  'enclosure',
  'escapedBy',
  'columns',
  'withoutHeaders',
  'ignoredLinesCount',
  'treatValuesAsNull',
]
const dataPlace = ['dataFileId', 'dataUrl', 'dataWorkspaceId', 'dataObject', 'dataTableName']
const newTable = [
  'bucketId',
  'name',
  'displayName',
  ...csv.slice(0, 4),
  'primaryKey',
  'transactional',
  'distributionKey',
  'syntheticPrimaryKeyEnabled',
]
const load = [...csv, 'incremental', 'useTimestampFromDataFile', 'deduplicationStrategy']
const where = ['whereColumn', 'whereOperator', 'whereValues', 'whereFilters', 'changedSince', 'changedUntil']
const rows = [...where, 'columns', 'orderBy', 'fulltextSearch', 'limit', 'format']
const token = [
  'description',
  'bucketPermissions',
  'componentAccess',
  'canManageBuckets',
  'canReadAllFileUploads',
  'canPurgeTrash',
  'expiresIn',
]
const trigger = ['runWithTokenId', 'component', 'configurationId', 'coolDownPeriodMinutes', 'tableIds']
const content = ['name', 'description', 'configuration', 'state', 'isDisabled', 'changeDescription']
const change = ['changeDescription']
const workspace = ['async', 'readOnlyStorageAccess', 'backend', 'loginType']
const metadata = ['provider', 'metadata']

/**
 * The parameters that the API documents, in query and body, by operation. An operation that is not here documents none
 * besides those of its path. A test holds that its route reads each of them, or that it is passed over for a reason, and that
 * each route that reads any is here, but for those that are ours. A route may read more than what stands here.
 */
export const documentedParameters: Readonly<Record<string, readonly string[]>> = {
  'POST /encryption/encrypt': ['componentId', 'projectId', 'configId', 'branchType'],
  'POST /scheduler/schedules': ['configurationId', 'configurationVersionId'],
  'GET /scheduler/schedules': ['componentId', 'configurationId'],
  'POST /queue/jobs': [
    ...['component', 'config', 'branchId', 'mode', 'tag', 'backend'],
    ...['configData', 'configRowIds', 'variableValuesId', 'variableValuesData'],
  ],
  'POST /query/api/v1/branches/{branchId}/workspaces/{workspaceId}/queries': ['statements'],
  'GET /query/api/v1/queries/{queryJobId}/{statementId}/results': ['offset', 'pageSize'],
  'POST /v2/storage/workspaces': workspace,
  [`POST ${config}/workspaces`]: workspace,
  'DELETE /v2/storage/workspaces/{workspaceId}': ['async'],
  'GET /queue/search/jobs': [
    ...page,
    ...['component', 'componentId', 'config', 'configId', 'branchId', 'status', 'sortBy', 'sortOrder'],
  ],
  'GET /queue/search/grouped-jobs': ['groupBy', 'jobsPerGroup', 'limit', 'sortBy', 'sortOrder'],

  'GET /v2/storage': ['exclude', 'componentDetails'],
  'POST /v2/storage/webalize/display-name': ['displayName'],
  'POST /v2/storage/webalize/column-names': ['columnNames'],
  'POST /v2/storage/validate/column-names': ['columnNames'],

  'GET /v2/storage/events': events,
  'POST /v2/storage/events': [
    'message',
    'component',
    'type',
    'configurationId',
    'runId',
    'description',
    'params',
    'results',
    'duration',
  ],
  [`GET ${table}/events`]: events,
  [`GET ${bucket}/events`]: events,
  'GET /v2/storage/tokens/{tokenId}/events': events,

  'POST /v2/storage/dev-branches': ['name', 'description'],
  'PUT /v2/storage/dev-branches/{branchId}': ['name', 'description'],
  'POST /v2/storage/metadata': ['metadata'],

  'POST /v2/storage/components/{componentId}/configs/{configId}/run': ['overlap', 'trigger', 'tokenIds'],
  'POST /v2/storage/components/{componentId}/configs/{configId}/preview': ['rowId', 'rows'],
  'POST /v2/storage/components/{componentId}/drafts': [
    'configurationId',
    'text',
    'configuration',
    'bucket',
    'rows',
  ],
  'GET /v2/storage/dead-letters': [...page, 'maxId', 'machine', 'code'],
  'POST /v2/storage/dead-letters/redrive': ['machine', 'code', 'version'],
  'POST /v2/storage/dead-letters/{letterId}/redrive': ['version'],
  'GET /v2/storage/runs': [...page, 'status', 'componentId', 'configId'],

  'GET /v2/storage/triggers': ['component', 'configurationId'],
  'POST /v2/storage/triggers': trigger,
  'PUT /v2/storage/triggers/{triggerId}': trigger,

  'GET /v2/storage/search/tables': ['metadataKey', 'metadataValue', 'metadataProvider', 'include'],
  'GET /v2/storage/search/component-configurations': [
    'idComponent',
    'componentId',
    'configurationId',
    'metadataKeys',
    'include',
  ],
  'GET /v2/storage/global-search': ['query', 'types', 'projectIds', 'branchIds', 'branchTypes', ...page],
  'GET /v2/storage/stats': ['runId'],

  'POST /v2/storage/tokens': [...token, 'canManageProtectedDefaultBranch', 'canCreateJobs'],
  'PUT /v2/storage/tokens/{tokenId}': token,
  'POST /v2/storage/tokens/{tokenId}/share': ['recipientEmail', 'message'],

  'GET /v2/storage/files': [...page, 'tags', 'q', 'runId', 'sinceId', 'maxId', 'showExpired', 'isPublic'],
  'POST /v2/storage/files/prepare': [
    'name',
    'sizeBytes',
    'contentType',
    'isPublic',
    'isPermanent',
    'notify',
    'isEncrypted',
    'isSliced',
    'tags',
    'federationToken',
  ],
  'GET /v2/storage/files/{fileId}': ['federationToken'],
  'DELETE /v2/storage/files/{fileId}': ['async'],
  'POST /v2/storage/files/{fileId}/tags': ['tag'],
  'POST /upload-file': ['data', 'name'],
  'POST /write-table': ['data', 'tableId', 'delimiter', 'enclosure', 'escapedBy', 'incremental'],

  'GET /v2/storage/buckets': ['include'],
  'GET /v2/storage/shared-buckets': ['include'],
  'POST /v2/storage/buckets': ['name', 'stage', 'description', 'backend', 'displayName', 'color'],
  [`GET ${bucket}`]: ['include'],
  [`PUT ${bucket}`]: ['displayName', 'color', 'async'],
  [`POST ${bucket}/owner`]: ['id', 'email'],
  [`DELETE ${bucket}`]: ['force', 'async'],
  [`GET ${bucket}/tables`]: ['include'],
  [`POST ${bucket}/metadata`]: metadata,

  'GET /v2/storage/tables': ['include'],
  [`POST ${bucket}/tables-async`]: [...newTable, ...dataPlace, 'snapshotId', 'sourceTableId', 'timestamp'],
  [`POST ${bucket}/tables`]: ['data', ...newTable],
  [`POST ${bucket}/tables-definition`]: ['name', 'displayName', 'primaryKeysNames', 'columns'],
  [`POST ${table}/import-async`]: [...load, ...dataPlace],
  [`POST ${table}/import`]: ['data', ...load],
  [`POST ${table}/export-async`]: [
    ...rows,
    'gzip',
    'includeInternalTimestamp',
    'fileType',
    'timezone',
    'escape',
  ],
  'POST /v2/storage/query': ['sql', 'format', 'limit', 'detectTypes', 'name'],
  [`GET ${table}/data-preview`]: [...rows, 'escape'],
  [`PUT ${table}`]: ['displayName', 'async'],
  [`DELETE ${table}`]: ['force', 'async'],
  [`POST ${table}/columns`]: ['name', 'definition', 'basetype'],
  [`PUT ${table}/columns/{column}/definition`]: ['length', 'nullable', 'default'],
  [`POST ${table}/swap`]: ['targetTableId'],
  [`PUT ${table}/definition`]: ['displayName', 'description', 'columns', 'isDescriptionSystemManaged'],
  [`DELETE ${table}/columns/{column}`]: ['force'],
  [`POST ${table}/primary-key`]: ['columns'],
  [`DELETE ${table}/rows`]: [...where, 'allowTruncate'],
  [`POST ${bucket}/table-aliases`]: [
    'sourceTable',
    'name',
    'displayName',
    'aliasFilter',
    'aliasColumns',
    'aliasColumnsAutoSync',
  ],
  [`POST ${table}/alias-filter`]: ['column', 'operator', 'values'],
  [`POST ${table}/snapshots`]: ['description'],
  [`GET ${table}/snapshots`]: page,
  [`POST ${table}/metadata`]: [...metadata, 'columnsMetadata'],
  'POST /v2/storage/columns/{columnId}/metadata': metadata,

  'GET /v2/storage/jobs': [...page, 'storage_job_status', 'start_time_from', 'start_time_to'],

  'GET /v2/storage/components': ['componentType', 'include', 'isDeleted'],
  [`GET ${configs}`]: ['isDeleted'],
  [`POST ${configs}`]: ['configurationId', ...content, 'rowsSortOrder'],
  [`PUT ${config}`]: [...content, 'rowsSortOrder'],
  [`DELETE ${config}`]: change,
  [`POST ${config}/restore`]: change,
  [`PUT ${config}/state`]: ['state'],
  [`GET ${config}/versions`]: ['include', ...page],
  [`POST ${config}/versions/{versionId}/rollback`]: change,
  [`POST ${config}/versions/{versionId}/create`]: ['name', 'description', ...change],
  [`POST ${config}/metadata`]: ['metadata'],
  [`POST ${config}/rows`]: ['rowId', ...content],
  [`PUT ${row}`]: content,
  [`DELETE ${row}`]: change,
  [`PUT ${row}/state`]: ['state'],
  [`GET ${row}/versions`]: ['include', ...page],
  [`POST ${row}/versions/{versionId}/rollback`]: change,
  [`POST ${row}/versions/{versionId}/create`]: ['targetConfigId', ...change],
}
