/**
 * What is stored now and runs later, or on another's behalf. Every route that changes something, every operation of a job,
 * every key of the extract machine's input and every function is in one of these tables: `catalogue.test.ts` compares them with
 * the code. Whoever adds one says here what it is, and adds its row to the tests of its kind.
 */

/** Ways in which a run of a configuration is set off: rows of `runs.test.ts`. */
export const starts = ['operator', 'schedule', 'trigger', 'request', 'redrive', 'later step'] as const
export type Start = (typeof starts)[number]

/** Routes that store a part of what a run does, and where `runs.test.ts` stores it so. */
export const parts = {
  'post components/{componentId}/configs': 'the configuration',
  'put components/{componentId}/configs/{configId}': 'its text',
  'delete components/{componentId}/configs/{configId}': 'trash and restore',
  'post components/{componentId}/configs/{configId}/restore': 'trash and restore',
  'post components/{componentId}/configs/{configId}/reset-to-default': 'a reset in a branch',
  'post components/{componentId}/configs/{configId}/versions/{versionId}/rollback': 'a rollback',
  'post components/{componentId}/configs/{configId}/versions/{versionId}/create': 'a copy',
  'post components/{componentId}/configs/{configId}/rows': 'a new row',
  'put components/{componentId}/configs/{configId}/rows/{rowId}': 'the text of a row',
  'delete components/{componentId}/configs/{configId}/rows/{rowId}': 'the removal of a row',
  'post components/{componentId}/configs/{configId}/rows/{rowId}/versions/{versionId}/rollback':
    'a rollback of a row',
  'post components/{componentId}/configs/{configId}/rows/{rowId}/versions/{versionId}/create':
    'a copy of a row',
  'post triggers': 'a trigger',
  'put triggers/{triggerId}': 'a change of a trigger',
  // `fire-schedules.test.ts` stores these.
  'post /scheduler/schedules': 'a schedule of the scheduler',
  'post /scheduler/schedules/{scheduleId}/refreshToken': 'a schedule of the scheduler',
} as const
export type Part = (typeof parts)[keyof typeof parts]

/** Routes that set off what is stored. */
export const startingRoutes: Readonly<Record<string, Start>> = {
  'post components/{componentId}/configs/{configId}/run': 'request',
  'post /queue/jobs': 'request',
  'post dead-letters/redrive': 'redrive',
  'post dead-letters/{letterId}/redrive': 'redrive',
}

/** Operations of jobs, which wait for their table or their turn: rows of `jobs.test.ts`. By the routes that store them. */
export const jobRoutes = {
  'post dev-branches': 'devBranchCreate',
  'delete dev-branches/{branchId}': 'devBranchDelete',
  'put buckets/{bucketId}': 'bucketUpdate',
  'delete buckets/{bucketId}': 'bucketDelete',
  'post buckets/{bucketId}/tables-async': 'tableCreate',
  'post buckets/{bucketId}/tables': 'tableCreate',
  'delete tables/{tableId}': 'tableDrop',
  'post tables/{tableId}/import-async': 'tableImport',
  'post tables/{tableId}/import': 'tableImport',
  'post /write-table': 'tableImport',
  'post tables/{tableId}/export-async': 'tableExport',
  'put tables/{tableId}': 'tableUpdate',
  'post buckets/{bucketId}/tables-definition': 'tableDefinitionCreate',
  'post tables/{tableId}/columns': 'tableColumnAdd',
  'delete tables/{tableId}/columns/{column}': 'tableColumnDelete',
  'put tables/{tableId}/columns/{column}/definition': 'tableColumnDefinitionUpdate',
  'put tables/{tableId}/definition': 'tableDefinitionUpdate',
  'post tables/{tableId}/primary-key': 'tablePrimaryKeyAdd',
  'delete tables/{tableId}/primary-key': 'tablePrimaryKeyDelete',
  'delete tables/{tableId}/rows': 'tableRowsDelete',
  'post tables/{tableId}/pull': 'tablePull',
  'post tables/{tableId}/swap': 'tableSwap',
  'post tables/{tableId}/snapshots': 'tableSnapshotCreate',
  'post tables/{tableId}/snapshots/{snapshotId}/restore': 'tableRestore',
  'delete snapshots/{snapshotId}': 'tableSnapshotDelete',
  'delete files/{fileId}': 'fileDelete',
  'post workspaces': 'workspaceCreate',
  'post components/{componentId}/configs/{configId}/workspaces': 'workspaceCreate',
  'delete workspaces/{workspaceId}': 'workspaceDelete',
  'post components/{componentId}/configs/{configId}/run': 'configurationRun',
} as const

/** Routes that do all their work at once, with the rights of the request. */
/** Routes that end what is stored. They start nothing, so nothing runs with their rights later. */
export const ending: readonly string[] = [
  'post /queue/jobs/{jobId}/kill',
  'post jobs/{jobId}/cancel',
  'post runs/{runId}/cancel',
]

/** Routes that only say something about what is under way. */
export const telling: readonly string[] = ['put runs/{runId}/progress']

export const atOnce: readonly string[] = [
  ...telling,
  'post /query/api/v1/branches/{branchId}/workspaces/{workspaceId}/queries',
  'post /query/api/v1/queries/{queryJobId}/cancel',
  'post tokens',
  'put tokens/{tokenId}',
  'delete tokens/{tokenId}',
  'post tokens/{tokenId}/refresh',
  'post tokens/{tokenId}/share',
  'put dev-branches/{branchId}',
  'post buckets',
  'post buckets/{bucketId}/owner',
  'post buckets/{bucketId}/table-aliases',
  'post tables/{tableId}/alias-filter',
  'delete tables/{tableId}/alias-filter',
  'post tables/{tableId}/alias-columns-auto-sync',
  'delete tables/{tableId}/alias-columns-auto-sync',
  'post files/prepare',
  'put files/{fileId}/refresh',
  'post files/{fileId}/tags',
  'delete files/{fileId}/tags/{tag}',
  'post /upload-file',
  'delete dead-letters/{letterId}',
  // Whoever may use a component may set back what its runs remember (docs/security.md, "Known limits").
  'put components/{componentId}/configs/{configId}/state',
  'put components/{componentId}/configs/{configId}/rows/{rowId}/state',
  'post components/{componentId}/configs/{configId}/preview',
  'post components/{componentId}/drafts',
  'post query',
  'post events',
  'delete metadata/{metadataId}',
  'post metadata',
  'delete buckets/{bucketId}/metadata/{metadataId}',
  'post buckets/{bucketId}/metadata',
  'delete columns/{columnId}/metadata/{metadataId}',
  'post columns/{columnId}/metadata',
  'delete components/{componentId}/configs/{configId}/metadata/{metadataId}',
  'post components/{componentId}/configs/{configId}/metadata',
  'delete tables/{tableId}/metadata/{metadataId}',
  'post tables/{tableId}/metadata',
  'post tickets',
  // Sealing reveals nothing, and only a run of the component opens it.
  'post /encryption/encrypt',
  'delete /scheduler/schedules/{scheduleId}',
  'delete /scheduler/configurations/{configurationId}',
  'post validate/column-names',
  'post webalize/column-names',
  'post webalize/display-name',
  'delete triggers/{triggerId}',
]

/** Keys of the extract machine's input, and what makes them harmless in the hands of whoever may write them. */
export const runInputKeys: Readonly<Record<string, string>> = {
  componentId: 'what runs: its authors are looked up there',
  configId: 'what runs: its authors are looked up there',
  branchId: 'what runs: its authors are looked up there',
  overlap: 'when',
  jobId: 'whether the execution is the run of this job: it is named after it',
  trigger: 'a text for events',
  authorTokenId: 'bounds the rights',
  tokenIds: 'bounds the rights',
  configVersion: 'refuses what was stored later',
}

/** With whose rights each function works. */
export const functionRights: Readonly<Record<string, readonly (Start | 'job' | 'caller' | 'service')[]>> = {
  'storage-api': ['caller'],
  'run-job': ['job'],
  'run-extractor': ['later step'],
  'preview-extraction': ['caller'],
  // Started jobs look for the rights themselves; what it keeps nobody stored.
  tick: ['schedule', 'trigger', 'job', 'service'],
  // Whoever may put into the landing bucket or start executions in the account.
  'start-import': ['service'],
  'poll-job': ['service'],
  'merge-slices': ['service'],
  // What it does nobody stored.
  'sweep-storage': ['service'],
}
