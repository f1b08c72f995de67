import type { ErrorEntry } from './entry.ts'

/** Errors that lie in the configuration of an extraction. Most are found when it is stored. */
export const extractorConfigCodes = {
  'extractor.config.invalid': {
    status: 400,
    meaning: 'The configuration lacks a required key, or has a key or value that cannot be used.',
    remedy: 'Correct the paths that the message names.',
  },
  'extractor.config.action': {
    status: 400,
    meaning: 'The configuration asks for an action other than "run".',
    remedy: 'Remove "action", or set it to "run".',
  },
  'extractor.config.sshProxy': {
    status: 400,
    meaning: 'The configuration asks for an SSH tunnel, which is not supported.',
    remedy: 'Remove "sshProxy", and make the API reachable without it.',
  },
  'extractor.config.baseUrl': {
    status: 400,
    meaning: 'The base address of the API is missing or is not a URL.',
    remedy: 'Set api.baseUrl to an http or https address.',
  },
  'extractor.config.requiredHeaders': {
    status: 400,
    meaning: 'A header that the API requires is not configured.',
    remedy: 'Set the header in config.http.headers.',
  },
  'extractor.config.scroller': {
    status: 400,
    meaning: 'A job names a scroller that the API does not define.',
    remedy: 'Use one of the scrollers that the message lists, or define it.',
  },
  'extractor.config.recursionFilter': {
    status: 400,
    meaning: 'The filter of a child job cannot be read.',
    remedy: 'Write a column, an operator that the message lists, and a value of at most 1,000 characters.',
  },
  'extractor.authentication.aws': {
    status: 400,
    meaning: 'The AWS signature lacks a credential.',
    remedy: 'Set the option that the message names.',
  },
  'extractor.authentication.basic': {
    status: 400,
    meaning: 'Basic authentication lacks the user name or the password.',
    remedy: 'Set "username" and "#password" in the config section.',
  },
  'extractor.authentication.oauth': {
    status: 400,
    meaning: 'The OAuth credentials are missing or incomplete.',
    remedy: 'Authorise the configuration again, or add what the message names.',
  },
  'extractor.authentication.query': {
    status: 400,
    meaning: 'Authentication by query has no parameters.',
    remedy: 'Set "query" in the authentication section.',
  },
  'extractor.functions.unknownFunction': {
    status: 400,
    meaning: 'An expression uses a function that does not exist here.',
    remedy: 'Use a function of the reference; the message may name the nearest one.',
  },
  'extractor.functions.badArguments': {
    status: 400,
    meaning: 'A function of an expression has the wrong number or kind of arguments.',
    remedy: 'Correct the arguments that the message names.',
  },
  'extractor.functions.notFound': {
    status: 400,
    meaning: 'An expression refers to a value that is not there.',
    remedy: 'Correct the path, or set the value.',
  },
  'extractor.functions.tooLarge': {
    status: 400,
    meaning: 'An expression makes more text than is allowed.',
    remedy: 'Simplify the expression.',
  },
  'extractor.request.body': {
    status: 400,
    meaning: 'The text of a body is not a single value.',
    remedy: 'Write the body as one text, or make one with a function such as `concat`.',
  },
  'extractor.request.headers': {
    status: 400,
    meaning: 'A configured header is neither a text nor a list of texts, or holds a line break.',
    remedy: 'Correct the header at the path in the message.',
  },
  'extractor.incremental.noKey': {
    status: 400,
    meaning: 'A job asks only for what changed, and its table has no primary key.',
    remedy: 'Name a primary key as the message says.',
  },
  'extractor.incremental.replaces': {
    status: 400,
    meaning: 'A job asks only for what changed, but its load would replace the whole table.',
    remedy: 'Leave out "incrementalOutput": false, or fetch everything.',
  },
  'extractor.incremental.differentKeys': {
    status: 400,
    meaning: 'Jobs that write to one table name different primary keys.',
    remedy: 'Name the same key in each of them.',
  },
  'extractor.incremental.noSuchColumn': {
    status: 400,
    meaning: 'The primary key names a column that the table does not have.',
    remedy: 'Use the columns that the message lists.',
  },
  'extractor.tables.badMapping': {
    status: 400,
    meaning: 'A mapping is not valid.',
    remedy: 'Correct the mapping at the path in the message.',
  },
  'extractor.tables.fileName': {
    status: 400,
    meaning: 'The name of a table gives no file name, or that of another table.',
    remedy: 'Set "dataType" or "outputBucket" to another name.',
  },
  'extractor.address.badRule': {
    status: 400,
    meaning: 'An entry of the allowed hosts is not a host.',
    remedy: 'Write a host, or a URL with one.',
  },
  'extractor.config.missing': {
    meaning: 'There is no config.json to read.',
    remedy: 'Name the folder that holds it.',
  },
  'extractor.config.notJson': {
    meaning: 'The file config.json is not valid JSON.',
    remedy: 'Correct it at the place that the message names.',
  },
  'extractor.state.unreadable': {
    meaning: 'The file in/state.json is there and cannot be read.',
    remedy: 'Let the command read it. Remove it only if everything should be extracted again.',
  },
  'extractor.clock': {
    meaning: 'MILLRACE_NOW is not a time.',
    remedy: 'Write it in ISO 8601, for example 2026-01-31T12:00:00Z.',
  },
  'extractor.preview': {
    meaning: '--preview is not a positive number.',
    remedy: 'Give the number of rows to show.',
  },
} as const satisfies Record<string, ErrorEntry>
