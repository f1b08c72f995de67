/** Codes of the storage API: what each means. Their statuses stand in `statuses.ts`. */

export const requestCodes = {
  'storage.tokenMissing': 'The request has no token.',
  'storage.tokenInvalid': 'The token is not known, was deleted or refreshed, or has expired.',
  accessDenied: 'The token is valid, but its rights do not reach this resource.',
  notFound: 'There is no such path, branch, component, configuration or row.',
  methodNotAllowed: 'The path exists, but not with this method.',
  'storage.validation': 'A parameter, a header or the body of the request is not valid.',
  validationError: 'A search names nothing to search for.',
  malformedRequest: 'The form of the request holds bytes that are no UTF-8 text.',
  'storage.unsupportedMediaType': 'The body has a content type that is not read.',
  'storage.tooManyAtOnce':
    'As many queries or previews as are done at once are under way, of the token or of all; or the token has as many workspaces or triggers as one may have.',
  'storage.requestTooLarge': 'The request is larger than the service takes.',
  'storage.responseTooLarge': 'The reply would be larger than the gateway lets through.',
  'storage.tooSlow': 'The request took longer than the gateway waits.',
  'storage.idempotencyKeyReused': 'The Idempotency-Key was sent before with another request.',
  'query.syntax': 'The search query cannot be parsed.',
  notImplemented: 'The service does not offer this operation or option.',
  'storage.dataFormat':
    'Another version wrote what the stack stores, in a form that this version does not read.',
  'storage.unavailable': 'Too many requests with the same Idempotency-Key run at once.',
  'storage.busy': 'The database or the bucket takes no more writes at the moment.',
  'service.stopping': 'The embedded cloud on one machine is shutting down.',
  internalError: 'Something failed that should not; the details are in the log, below the exception id.',
  'event.invalid': 'A function got an event that is not of the shape it accepts.',
} as const

export const tablesCodes = {
  'storage.buckets.notFound': 'There is no such bucket.',
  'storage.bucket.ownerNotFound': 'The bucket has no owner, or there is no such admin of the project.',
  'storage.buckets.alreadyExists': 'Another bucket has this id or display name.',
  'storage.buckets.tableAlreadyExists': 'The bucket has a table with this name or display name.',
  'storage.buckets.validation': 'A setting of the bucket is not valid.',
  'storage.buckets.busy': 'Other requests change the bucket at this moment.',
  'buckets.deleteNotEmpty': 'The bucket still holds tables.',
  'storage.tables.notFound': 'There is no such table.',
  'storage.columns.notFound': 'The table has no such column to hold metadata.',
  'storage.tables.columns.notFound': 'The table has no such column to delete.',
  'storage.tables.validation': 'A parameter of the request for a table is not valid.',
  'storage.tables.validation.cannotAddColumn':
    'A column that needs a value in each row was to be added to a table with rows, without a default.',
  'storage.tables.validation.cannotUpdateColumn':
    'The definition of a column was to change in a way that its values cannot follow.',
  'storage.tables.invalidDefaultValueForType':
    'The default of a column is no value of its type, or the column cannot have one.',
  'storage.backend.exception': 'A condition compares a column with something that is no value of its type.',
  rowTooLarge: 'A number of the file has more digits than its column holds.',
  'csvImport.invalidValue': 'A cell of the file is no value of the type of its column.',
  'csvImport.requiredValue': 'A cell of the file is empty, and its column needs a value.',
  'storage.tables.validation.columnNotExists':
    'A condition, an order or a list of columns names a column that the table does not have.',
  'storage.tables.validation.invalidColumnName':
    'A column has no name, a name that cannot be used, or the name of another one.',
  'storage.tables.validation.invalidFormat': 'Tables are not given out in the format that was asked for.',
  'storage.tables.validation.invalidPrimaryKeyColumns':
    'The primary key names columns that are not in the table.',
  'storage.tables.validation.noColumns': 'The table would have no column.',
  'storage.tables.validation.unintendedTruncation':
    'Rows were to be deleted without any condition, which would empty the table.',
  'storage.tables.invalidColumnName': 'The new column has a name that cannot be used.',
  'storage.tables.columnNotExists': 'Rows were to be deleted by a column that the table does not have.',
  'storage.tables.columnAlreadyExists': 'The table has a column with this name.',
  'storage.tables.cannotDeletePrimaryKeyColumn': 'The column is part of the primary key.',
  'storage.tables.cannotDeleteLastColumn': 'The column is the only one of the table.',
  'storage.validation.primaryKey': 'The primary key is empty, or names columns that the table does not have.',
  'storage.tables.primaryKeyAlreadyExists': 'The table has a primary key.',
  'storage.tables.primaryKeyDuplicateValues':
    'Several rows have the same values in the columns of the new primary key.',
  'storage.tables.primaryKeyDiffers':
    'An incremental load asked for another primary key than the table has; nothing was loaded.',
  'storage.timetravel.invalid':
    'The table did not exist at the time that was asked for, or what it was then is not kept any more.',
  'storage.validation.timeTravelNotSupported':
    'The table has no history that can be read: another engine wrote it, or it is an alias.',
  'storage.tables.busy': 'Other requests change the table at this moment.',
  'storage.tables.moved': 'The table was changed while a job worked on it.',
  'storage.maxNumberOfColumnsExceed': 'The table would have more columns than a table may have.',
  'validation.failed': 'A field is missing or has the wrong form.',
  'storage.webalize.displayName.invalid': 'The display name has no character that a name can keep.',
  invalidCsv:
    'The file is not valid CSV, or its delimiter, enclosure or escape character is not one character.',
  invalidParquet: 'The file begins as Parquet, and cannot be read.',
  'csvImport.columnsNotMatch': 'The file lacks columns of the table.',
  'csvImport.invalidCsvParams': 'The delimiter, enclosure and escape character contradict each other.',
  'csvImport.wrongDelimiter': 'The file has one column, whose name holds another delimiter.',
  'storage.load.sliceTooLarge':
    'A compressed slice of a large load takes one function too long: gzip cannot be cut.',
  'storage.preview.tooLarge':
    'A preview with a filter or an order would have to read more of the table than a request may.',
  'storage.query.invalid':
    'A query cannot be run: it is no single SELECT, reads something other than tables, or names what is not there.',
  'storage.query.tooLarge':
    'A query would read more of its tables, needs more memory, or has a larger result, than a request may.',
  'storage.query.tooLong': 'A query took longer than a request may.',
  'storage.export.tooLarge': 'An export with an order reads more of its table than one function sorts.',
  'storage.load.detectTooLarge': 'The first load with `types=detect` is larger than one function looks at.',
  'storage.load.mergeTooLarge':
    'A load with a primary key, or its table, is larger than one function can merge, and there is no engine for it.',
  'storage.load.mergeFailed': 'The engine for large merges has not merged the rows of a load.',
} as const

export const aliasesCodes = {
  'storage.tables.aliasImportNotAllowed':
    'The table is an alias: it has no rows of its own to change or to copy.',
  'storage.tables.aliasingNotAllowed':
    'The source is an alias with a filter or with columns of its own, or is in a development branch.',
  'storage.tables.aliasHasAliases': 'The alias cannot show something else, because it has aliases itself.',
  'storage.tables.aliasColumnsAutoSync': 'The columns of the alias follow its source.',
  'storage.tables.notAlias': 'The table is no alias, so it has no filter and no columns of a source.',
  'storage.tables.cannotDeleteReferencedColumn': 'An alias shows the column or filters by it.',
  'storage.tables.cannotRemoveReferencedColumnFromPrimaryKey':
    'An alias filters by a column of the primary key.',
  'tables.cannotDeletedTableWithAliases': 'The table has aliases.',
} as const

export const filesCodes = {
  'storage.files.notFound': 'There is no such file.',
  'storage.files.busy': 'Many requests change the file at this moment.',
  'storage.fileNotUploaded': 'The file was prepared, but its data was not uploaded.',
  'storage.importFileMissing': 'The data of the file is no longer in the object store.',
  'storage.sliceMissing': 'The manifest names a slice that was not uploaded.',
  'storage.manifestFileMissing': 'The sliced file has no manifest.',
  'storage.manifestFileInvalid': 'The manifest of the sliced file cannot be read.',
  'storage.unauthorizedAccess': 'The manifest names an object outside the file.',
  'storage.snapshots.notFound': 'There is no such snapshot.',
  'storage.snapshots.otherShape':
    'The rows of the snapshot do not fit the table any more, or are those of another one.',
  'source.changed': 'An object was replaced or deleted while it was read.',
  'source.cutOff': 'S3 sent fewer bytes of an object than it was asked for, several times.',
  's3.checksumDiffers': 'What was read of an object has another checksum than S3 keeps of it.',
  's3.objectChanged': 'An object of a table was replaced while it was read.',
  'multipart.tooLarge': 'The data is larger than one S3 object can be.',
  'path.outside': 'A name would lead to a file outside its folder.',
} as const

export const configurationsCodes = {
  configurationAlreadyExists: 'The component has a configuration with this id.',
  configurationRowAlreadyExists: 'The configuration has a row with this id.',
  'storage.components.validation': 'A setting of the configuration, row or state is not valid.',
  'storage.componentsRows.validation': 'The body with the state of a row has another field.',
  'validation.invalidConfigurationFormat':
    'The field "configuration" is not a JSON object, is nested too deep or is too large.',
  'validation.invalidStateFormat':
    'The field "state" is not a JSON object, is nested too deep or is too large.',
  'validation.invalidRowSortOrder': 'The sort order does not name each row once.',
  'storage.components.configurations.versionConflict':
    'Many writers change the configuration at once, and this change lost.',
  'storage.components.configurations.versionChanged':
    'The configuration has another version than the If-Match header names.',
  'storage.components.cannotDeleteConfiguration':
    'The configuration is in the trash of a development branch, where it stays until the branch is deleted.',
  'storage.components.notRunnable': 'Configurations of this component are not run here.',
  'storage.components.busy': 'Other requests change the configuration at this moment.',
  'schedule.invalid': 'The schedule of the configuration is not valid.',
  'secrets.notOpened':
    'A secret was sealed for another configuration, project or service, and cannot be opened.',
  'secrets.tooMany': 'One request brings more new secrets than are sealed at once.',
} as const

export const projectCodes = {
  'storage.jobs.notFound': 'There is no such job.',
  'storage.jobs.cancelled': 'Somebody has cancelled the job or the run.',
  'storage.jobs.ended': 'The job or the run has ended, so that there is nothing to cancel.',
  'storage.deadLetters.notFound': 'There is no such dead letter.',
  'storage.deadLetters.notRedrivable': 'What failed cannot be started again.',
  'storage.runs.notFound': 'There is no such run, or it is not under way.',
  'storage.runs.underWay':
    'Another run of the configuration has not ended, and this one was not to wait for it.',
  'storage.tokens.notFound': 'There is no such token.',
  'storage.tokens.validation': 'A setting of the token is not valid.',
  'storage.tokens.invalidPermissions': 'The bucket permissions of the token are not valid.',
  'storage.token.cannotShareMasterToken': 'The master token is never shared.',
  'storage.tokens.cannotDeleteDueToOrchestration':
    'A trigger runs its configuration with the rights of this token.',
  'storage.tokens.masterToken': 'The master token cannot be changed by the API.',
  'storage.outOfSpace': 'The disk of the storage service is full.',
  'storage.tokens.busy': 'Many requests change the token at this moment.',
  'storage.devBranch.cannotRenameDefault': 'The default branch keeps its name.',
  'devBranch.duplicateName': 'There is a branch with this name.',
  'storage.devBranch.cannotDeleteDefault': 'The default branch cannot be deleted.',
  'storage.branches.busy': 'Many requests change the branch at this moment.',
  'storage.events.notFound': 'There is no such event.',
  'storage.events.validation': 'A field of the event is not valid.',
  'storage.event.schemaValidationFailed': 'The event lacks what events of its component must have.',
  requestTooLarge: 'The event is larger than one may be.',
  'storage.metadata.notFound': 'There is no metadata with this id here.',
  'storage.metadata.invalidStructure': 'The metadata is not a list of objects with key and value.',
  'storage.metadata.invalidKey': 'A key of the metadata cannot be used.',
  'storage.metadata.invalidProvider':
    'The provider of the metadata is missing, is not a text, or is "storage", which only the service uses (then 403).',
  'storage.metadata.invalidParameter': 'A parameter of the metadata is not valid.',
  'storage.metadata.busy': 'Many requests change the metadata at this moment.',
  'storage.triggers.tokenExpires': 'The token that a trigger would run with has an expiry.',
  'storage.triggers.notFound': 'There is no such trigger.',
  'storage.triggers.busy': 'Many requests change it at this moment.',
} as const

export const catalogCodes = {
  'iceberg.namespaceNotFound': 'No bucket has this id or alias.',
  'iceberg.tableNotFound': 'No table of the bucket has this name or alias.',
  'iceberg.warehouseNotFound': 'The warehouse that the client asks for does not exist.',
  'iceberg.ambiguousName': 'More than one bucket or table answers to the name.',
  'iceberg.tooManyFolders':
    'The table shares files of more loads with other tables than temporary credentials can name.',
  'iceberg.notServed':
    'The operation is one of the Iceberg REST catalog that is not served: it changes something, plans a scan, signs a request, or concerns functions.',
} as const
