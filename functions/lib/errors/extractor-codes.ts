/** Codes of the extractor, in results, events and logs: what each means. */

export const extractorConfigurationsCodes = {
  'extractor.config.invalid':
    'The configuration lacks a required key, or has a key or value that cannot be used.',
  'extractor.config.action': 'The configuration asks for an action other than "run".',
  'extractor.config.sshProxy': 'The configuration asks for an SSH tunnel, which is not supported.',
  'extractor.config.baseUrl': 'The base address of the API is missing or is not a URL.',
  'extractor.config.requiredHeaders': 'A header that the API requires is not configured.',
  'extractor.config.scroller': 'A job names a scroller that the API does not define.',
  'extractor.config.recursionFilter': 'The filter of a child job cannot be read.',
  'extractor.authentication.aws': 'The AWS signature lacks a credential.',
  'extractor.authentication.basic': 'Basic authentication lacks the user name or the password.',
  'extractor.authentication.oauth': 'The OAuth credentials are missing or incomplete.',
  'extractor.authentication.query': 'Authentication by query has no parameters.',
  'extractor.functions.unknownFunction': 'An expression uses a function that does not exist here.',
  'extractor.functions.badArguments':
    'A function of an expression has the wrong number or kind of arguments.',
  'extractor.functions.notFound': 'An expression refers to a value that is not there.',
  'extractor.functions.tooLarge': 'An expression makes more text than is allowed.',
  'extractor.request.body': 'The text of a body is not a single value.',
  'extractor.request.headers':
    'A configured header is neither a text nor a list of texts, or holds a line break.',
  'extractor.incremental.noKey': 'A job asks only for what changed, and its table has no primary key.',
  'extractor.incremental.replaces':
    'A job asks only for what changed, but its load would replace the whole table.',
  'extractor.incremental.differentKeys': 'Jobs that write to one table name different primary keys.',
  'extractor.incremental.noSuchColumn': 'The primary key names a column that the table does not have.',
  'extractor.tables.badMapping': 'A mapping is not valid.',
  'extractor.tables.fileName': 'The name of a table gives no file name, or that of another table.',
  'extractor.address.badRule': 'An entry of the allowed hosts is not a host.',
  'extractor.config.missing': 'There is no config.json to read.',
  'extractor.config.notJson': 'The file config.json is not valid JSON.',
  'extractor.state.unreadable': 'The file in/state.json is there and cannot be read.',
  'extractor.clock': 'MILLRACE_NOW is not a time.',
  'extractor.preview': '--preview is not a positive number.',
} as const

export const extractorRunsCodes = {
  'extractor.request.failed': 'The API could not be reached, after all attempts.',
  'extractor.request.invalid': 'The request cannot be sent as it is configured.',
  'extractor.request.redirects': 'The API redirects too often, or to an address without encryption.',
  'extractor.request.url': 'An address is not a valid http or https URL.',
  'extractor.address.forbidden': 'The address is not on the public internet.',
  'extractor.address.notAllowed': 'The address is not among the allowed hosts of the configuration.',
  'extractor.address.untrusted':
    'The request body holds a secret and would go to another host than that of the API.',
  'extractor.authentication.login': 'The login request answered something that cannot hold credentials.',
  'extractor.authentication.expired': 'The login answered an expiry time that is past or cannot be read.',
  'extractor.authentication.jwt': 'The key of the authentication cannot sign with the configured algorithm.',
  'extractor.response.status': 'The API answered an error status, after all attempts.',
  'extractor.response.rule':
    'An error rule of the configuration (api.http.errorRules) refuses the reply of the API.',
  'extractor.response.json': 'The API answered something that is not JSON.',
  'extractor.response.encoding':
    'The bytes of a JSON response are no text in the charset that it names, or in UTF-8 when it names none.',
  'extractor.response.damaged': 'A reply is not what its format says, or it was cut off.',
  'extractor.pagination.endless':
    'A job would not end: it asks again for what it asked for, gets the same rows for the third time, or has more than 1,000,000 pages.',
  'extractor.response.tooLarge':
    'One reply of the API is larger than the limit, or has more values than there is memory for.',
  'extractor.response.depth': 'The reply of the API is nested too deeply.',
  'extractor.response.ambiguous':
    'The reply holds several lists, and the job does not say which one is the data.',
  'extractor.response.unknown': 'The reply holds nothing that could be rows.',
  'extractor.filter.notAList': 'A response filter expects a list where the reply has another value.',
  'extractor.pagination.cursor': 'The cursor in a row of the reply is not a number.',
  'extractor.pagination.value': 'The address of the next page is not a text.',
  'extractor.placeholder':
    'A placeholder of a child job has no value in the parent row, or too many combinations.',
  'extractor.value.order': 'A value that is remembered for the next run does not have the configured kind.',
  'extractor.job.empty': 'A job that must not be empty gave no rows.',
  'extractor.job.silent':
    'A job ended although the answers of its API say that there is more, and `"silence": "fail"` is set.',
  'extractor.job.incomplete':
    'A job with "completeness" got other rows than the API says there are, or the same row on several pages.',
  'extractor.tables.differentColumns': 'Two mappings write tables of one name with different columns.',
  'extractor.tables.incompatibleTypes':
    'A value changes its kind between rows, for example from a text to an object.',
  'extractor.tables.notSingleValue': 'A mapped column gets an object or a list.',
  'extractor.tables.parentNotScalar':
    'The column that would link child rows to their parent holds no single value.',
  'extractor.tables.tooDeep': 'The data are nested too deeply to become tables.',
  'extractor.tables.unknownColumn': 'A row has a value for a column that the table does not have.',
  'extractor.checkpoint': 'The checkpoint is damaged, or belongs to another configuration.',
  'extractor.run.authorRefused':
    'A token that stored a part of the run or set it off was deleted, expired, or may do less than before.',
  'extractor.run.configurationChanged':
    'Another token changed the configuration after the run was asked for.',
  'extractor.run.leaseLost': 'Another run of the configuration began, because this one seemed to be over.',
  'extractor.run.mapping': 'The input or output mapping is not valid.',
  'extractor.run.iterations': 'The table to iterate over is not in the input mapping, or has too many rows.',
  'extractor.draft': 'No configuration can be made of the command, document or answer that was given.',
  'extractor.preview.refused':
    'The configuration reads a table or logs in with a refresh token, which a preview does not do.',
  'extractor.run.input': 'A table of the input mapping could not be read.',
  'extractor.run.destination': 'An extracted table would be loaded into something that is not a table id.',
  'extractor.run.load': 'An extracted table could not be loaded, and the service gave no code.',
  'extractor.run.failed': 'A step of the run refused its work.',
} as const
