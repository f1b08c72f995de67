import type { ErrorEntry } from './entry.ts'

/** Errors of buckets, tables and the CSV files that are loaded into them. */
export const tableCodes = {
  'storage.buckets.tooMany': {
    meaning: 'The names of all buckets take more than one item may hold: some 9,000 buckets.',
    remedy: 'Delete buckets that are not needed.',
  },
  'storage.buckets.notFound': {
    status: 404,
    meaning: 'There is no such bucket.',
    remedy: 'Check the bucket id, or create the bucket first.',
  },
  'storage.bucket.ownerNotFound': {
    status: 404,
    meaning: 'The bucket has no owner, or there is no such admin of the project.',
    remedy: 'Name the admin that the detail of a token shows as adminOwner.',
  },
  'storage.buckets.alreadyExists': {
    status: 400,
    meaning: 'Another bucket has this id or display name.',
    remedy: 'Use the bucket that exists, or choose another name.',
  },
  'storage.buckets.tableAlreadyExists': {
    status: 400,
    meaning: 'The bucket has a table with this name or display name.',
    remedy: 'Import into the table that exists, or choose another name.',
  },
  'storage.buckets.validation': {
    status: 400,
    meaning: 'A setting of the bucket is not valid.',
    remedy: 'Correct the field that the message names.',
  },
  'storage.buckets.busy': {
    status: 503,
    meaning: 'Other requests change the bucket at this moment.',
    remedy: 'Send the request again after the time in Retry-After.',
  },
  'buckets.deleteNotEmpty': {
    status: 400,
    meaning: 'The bucket still holds tables.',
    remedy: 'Delete its tables first, or delete the bucket with force.',
  },
  'storage.tables.notFound': {
    status: 404,
    meaning: 'There is no such table.',
    remedy: 'Check the table id, or create the table first.',
  },
  'storage.columns.notFound': {
    status: 404,
    meaning: 'The table has no such column to hold metadata.',
    remedy: 'Check the name of the column.',
  },
  'storage.tables.columns.notFound': {
    status: 404,
    meaning: 'The table has no such column to delete.',
    remedy: 'Check the name of the column; it may be deleted already.',
  },
  'storage.tables.validation': {
    status: 400,
    meaning: 'A parameter of the request for a table is not valid.',
    remedy: 'Correct the fields that the message names.',
  },
  'storage.tables.validation.cannotAddColumn': {
    status: 400,
    meaning:
      'A column that needs a value in each row was to be added to a table with rows, without a default.',
    remedy: 'Make the column nullable, or give it a default.',
  },
  'storage.tables.validation.cannotUpdateColumn': {
    status: 400,
    meaning: 'The definition of a column was to change in a way that its values cannot follow.',
    remedy: 'Change only what the message allows, or add a new column and load it.',
  },
  'storage.tables.invalidDefaultValueForType': {
    status: 400,
    meaning: 'The default of a column is no value of its type, or the column cannot have one.',
    remedy: 'Give a value of the type, or none. Add columns of days and times without a default.',
  },
  'storage.backend.exception': {
    status: 400,
    meaning: 'A condition compares a column with something that is no value of its type.',
    remedy: 'Give values in a form of the type of the column (docs/tables.md).',
  },
  rowTooLarge: {
    status: 400,
    meaning: 'A number of the file has more digits than its column holds.',
    remedy: 'Correct the value in the line that the message names, or give the column more digits.',
  },
  'csvImport.invalidValue': {
    status: 400,
    meaning: 'A cell of the file is no value of the type of its column.',
    remedy: 'Correct the value in the line that the message names (docs/tables.md lists the forms).',
  },
  'csvImport.requiredValue': {
    status: 400,
    meaning: 'A cell of the file is empty, and its column needs a value.',
    remedy: 'Fill the cell, give the column a default, or make it nullable.',
  },
  'storage.tables.validation.columnNotExists': {
    status: 400,
    meaning: 'A condition, an order or a list of columns names a column that the table does not have.',
    remedy: 'Use the columns that the message lists.',
  },
  'storage.tables.validation.invalidColumnName': {
    status: 400,
    meaning: 'A column has no name, a name that cannot be used, or the name of another one.',
    remedy: 'Rename the column in the file, or name the columns in the request.',
  },
  'storage.tables.validation.invalidFormat': {
    status: 400,
    meaning: 'Tables are not given out in the format that was asked for.',
    remedy: 'Ask for a format that the message names.',
  },
  'storage.tables.validation.invalidPrimaryKeyColumns': {
    status: 400,
    meaning: 'The primary key names columns that are not in the table.',
    remedy: 'Name columns of the table; their case counts.',
  },
  'storage.tables.validation.noColumns': {
    status: 400,
    meaning: 'The table would have no column.',
    remedy: 'Upload a CSV file with a header, or name at least one column.',
  },
  'storage.tables.validation.unintendedTruncation': {
    status: 400,
    meaning: 'Rows were to be deleted without any condition, which would empty the table.',
    remedy: 'Add a condition, or set allowTruncate to 1.',
  },
  'storage.tables.invalidColumnName': {
    status: 400,
    meaning: 'The new column has a name that cannot be used.',
    remedy: 'Use letters, digits and underscores only.',
  },
  'storage.tables.columnNotExists': {
    status: 400,
    meaning: 'Rows were to be deleted by a column that the table does not have.',
    remedy: 'Check the name of the column.',
  },
  'storage.tables.columnAlreadyExists': {
    status: 400,
    meaning: 'The table has a column with this name.',
    remedy: 'Choose another name.',
  },
  'storage.tables.cannotDeletePrimaryKeyColumn': {
    status: 400,
    meaning: 'The column is part of the primary key.',
    remedy: 'Delete the primary key first.',
  },
  'storage.tables.cannotDeleteLastColumn': {
    status: 400,
    meaning: 'The column is the only one of the table.',
    remedy: 'Delete the table instead.',
  },
  'storage.validation.primaryKey': {
    status: 400,
    meaning: 'The primary key is empty, or names columns that the table does not have.',
    remedy: 'Name columns of the table, separated by commas.',
  },
  'storage.tables.primaryKeyAlreadyExists': {
    status: 400,
    meaning: 'The table has a primary key.',
    remedy: 'Delete it before you set another one.',
  },
  'storage.tables.primaryKeyDuplicateValues': {
    status: 400,
    meaning: 'Several rows have the same values in the columns of the new primary key.',
    remedy: 'Choose columns that identify a row, or delete the duplicates first.',
  },
  'storage.tables.primaryKeyDiffers': {
    status: 400,
    meaning: 'An incremental load asked for another primary key than the table has; nothing was loaded.',
    remedy: 'Set the key of the table as the message says, or load without primaryKey.',
  },
  'storage.timetravel.invalid': {
    status: 400,
    meaning:
      'The table did not exist at the time that was asked for, or what it was then is not kept any more.',
    remedy:
      'Ask for a time within the retention, after the table was created; or create the table from a snapshot.',
  },
  'storage.validation.timeTravelNotSupported': {
    status: 400,
    meaning: 'The table has no history that can be read: another engine wrote it, or it is an alias.',
    remedy: 'Create the table from a snapshot, or copy the source table of the alias.',
  },
  'storage.tables.busy': {
    status: 503,
    meaning: 'Other requests change the table at this moment.',
    remedy: 'Send the request again after the time in Retry-After.',
  },
  'storage.tables.moved': {
    status: 503,
    meaning: 'The table was changed while a job worked on it.',
    remedy: 'Nothing: the job is tried again by itself.',
  },
  'storage.maxNumberOfColumnsExceed': {
    status: 400,
    meaning: 'The table would have more columns than a table may have.',
    remedy:
      'Check the delimiter of the file, or load fewer columns. Where an API has data as keys of its objects, map the columns of the table.',
  },
  'validation.failed': {
    status: 400,
    meaning: 'A field is missing or has the wrong form. With 422: some of the column names cannot be used.',
    remedy: 'Correct the field, or rename the columns that the reply lists in errors.',
  },
  'storage.webalize.displayName.invalid': {
    status: 422,
    meaning: 'The display name has no character that a name can keep.',
    remedy: 'Use at least one letter or digit.',
  },
  invalidCsv: {
    status: 400,
    meaning:
      'The file is not valid CSV, or its delimiter, enclosure or escape character is not one character.',
    remedy: 'Correct the file at the place that the message names; save it as CSV in UTF-8.',
  },
  invalidParquet: {
    status: 400,
    meaning: 'The file begins as Parquet, and cannot be read.',
    remedy:
      'Write it again: it is cut off, damaged, encrypted, or packed in a way that the table engine does not know.',
  },
  'csvImport.columnsNotMatch': {
    status: 400,
    meaning: 'The file lacks columns of the table.',
    remedy: 'Add the missing columns to the file, or load it into another table.',
  },
  'csvImport.invalidCsvParams': {
    status: 400,
    meaning: 'The delimiter, enclosure and escape character contradict each other.',
    remedy: 'Give different characters, and only one of enclosure and escapedBy.',
  },
  'csvImport.wrongDelimiter': {
    status: 400,
    meaning: 'The file has one column, whose name holds another delimiter.',
    remedy: 'Give that delimiter with the import, or put the name in quotes.',
  },
  'storage.load.sliceTooLarge': {
    status: 400,
    meaning: 'A compressed slice of a large load takes one function too long: gzip cannot be cut.',
    remedy: 'Upload it uncompressed, or as several slices.',
  },
  'storage.preview.tooLarge': {
    status: 400,
    meaning: 'A preview with a filter or an order would have to read more of the table than a request may.',
    remedy:
      'Export the rows with `export-async`, which takes the same fields; or show fewer columns, or filter by a column whose values lie together.',
  },
  'storage.query.invalid': {
    status: 400,
    meaning:
      'A query cannot be run: it is no single SELECT, reads something other than tables, or names what is not there.',
    remedy: 'Do what the message says. Cells of untyped tables are texts: cast them, or send `detectTypes`.',
  },
  'storage.query.tooLarge': {
    status: 400,
    meaning: 'A query would read more of its tables, or needs more memory, than a request has.',
    remedy:
      'Name fewer columns or tables, or ask an engine that reads the tables themselves (docs/query.md).',
  },
  'storage.query.tooLong': {
    status: 400,
    meaning: 'A query took longer than a request may.',
    remedy: 'Read less, or ask an engine that reads the tables themselves (docs/query.md).',
  },
  'storage.export.tooLarge': {
    status: 400,
    meaning: 'An export with an order reads more of its table than can be sorted.',
    remedy: 'Export fewer rows, or without `orderBy`.',
  },
  'storage.load.mergeTooLarge': {
    status: 400,
    meaning: 'A load with a primary key, or its table, is larger than one function can merge.',
    remedy: 'Send the rows in several files.',
  },
} as const satisfies Record<string, ErrorEntry>
