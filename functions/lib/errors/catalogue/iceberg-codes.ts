import type { ErrorEntry } from './entry.ts'

/** Errors of the Iceberg REST catalog. Its replies have the form of that specification, so the code is in the log only. */
export const icebergCodes = {
  'iceberg.namespaceNotFound': {
    status: 404,
    meaning: 'No bucket has this id or alias.',
    remedy: 'List the namespaces; a bucket `in.c-main` is the namespace `in_c_main`.',
  },
  'iceberg.tableNotFound': {
    status: 404,
    meaning: 'No table of the bucket has this name or alias.',
    remedy: 'List the tables of the namespace.',
  },
  'iceberg.warehouseNotFound': {
    status: 404,
    meaning: 'The warehouse that the client asks for does not exist.',
    remedy: 'Ask for the warehouse `millrace`, or for none.',
  },
  'iceberg.ambiguousName': {
    status: 400,
    meaning: 'More than one bucket or table answers to the name.',
    remedy: 'Use the id that the list shows, in quotes, or give one of them another name.',
  },
  'iceberg.tooManyFolders': {
    status: 400,
    meaning: 'The table shares files of more loads with other tables than temporary credentials can name.',
    remedy: 'Export the table and import the file without `incremental`; then its files are its own.',
  },
  'iceberg.notServed': {
    status: 406,
    meaning:
      'The operation is one of the Iceberg REST catalog that is not served: it changes something, plans a scan, signs a request, or concerns functions.',
    remedy: 'Make changes with the storage API; the message says what to do instead.',
  },
} as const satisfies Record<string, ErrorEntry>
