import type { ErrorEntry } from './entry.ts'

/** Errors of aliases, and of tables that have some. */
export const aliasCodes = {
  'storage.tables.aliasImportNotAllowed': {
    status: 400,
    meaning: 'The table is an alias: it has no rows of its own to change or to copy.',
    remedy: 'Use the source table, which the message names.',
  },
  'storage.tables.aliasingNotAllowed': {
    status: 400,
    meaning:
      'The source is an alias with a filter or with columns of its own, or is in a development branch.',
    remedy: 'Create the alias of the table behind it.',
  },
  'storage.tables.aliasHasAliases': {
    status: 400,
    meaning: 'The alias cannot show something else, because it has aliases itself.',
    remedy: 'Delete those aliases first, or create another alias of the source.',
  },
  'storage.tables.aliasColumnsAutoSync': {
    status: 400,
    meaning: 'The columns of the alias follow its source.',
    remedy: 'Change the columns of the source, or disable alias-columns-auto-sync first.',
  },
  'storage.tables.notAlias': {
    status: 400,
    meaning: 'The table is no alias, so it has no filter and no columns of a source.',
    remedy: 'Check the table id.',
  },
  'storage.tables.cannotDeleteReferencedColumn': {
    status: 400,
    meaning: 'An alias shows the column or filters by it.',
    remedy: 'Change the alias that the message names; where it only follows the table, delete with force.',
  },
  'storage.tables.cannotRemoveReferencedColumnFromPrimaryKey': {
    status: 400,
    meaning: 'An alias filters by a column of the primary key.',
    remedy: 'Remove the filter of the alias that the message names.',
  },
  'tables.cannotDeletedTableWithAliases': {
    status: 400,
    meaning: 'The table has aliases.',
    remedy: 'Delete its aliases first, or delete the table with force.',
  },
} as const satisfies Record<string, ErrorEntry>
