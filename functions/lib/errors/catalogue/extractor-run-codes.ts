import type { ErrorEntry } from './entry.ts'

/** Errors of an extraction under way. They end a row of the run, and show in its results. */
export const extractorRunCodes = {
  'extractor.request.failed': {
    meaning: 'The API could not be reached, after all attempts.',
    remedy: 'Check the address and that the API is up, then run again.',
  },
  'extractor.request.invalid': {
    meaning: 'The request cannot be sent as it is configured.',
    remedy: 'Correct its method, parameters or headers.',
  },
  'extractor.request.redirects': {
    meaning: 'The API redirects too often, or to an address without encryption.',
    remedy: 'Configure the address that the API leads to.',
  },
  'extractor.request.url': {
    meaning: 'An address is not a valid http or https URL.',
    remedy: 'Correct the endpoint, or look at the next page address in the reply.',
  },
  'extractor.address.forbidden': {
    meaning: 'The address is not on the public internet.',
    remedy: 'Use the public address of the API.',
  },
  'extractor.address.notAllowed': {
    meaning: 'The address is not among the allowed hosts of the configuration.',
    remedy: 'Add the host to the allowed hosts when the request is meant.',
  },
  'extractor.address.untrusted': {
    meaning: 'The request body holds a secret and would go to another host than that of the API.',
    remedy: 'List the host in api.http.trustedOrigins when it may have the secret.',
  },
  'extractor.authentication.login': {
    meaning: 'The login request answered something that cannot hold credentials.',
    remedy: 'Check the login request against the documentation of the API.',
  },
  'extractor.authentication.expired': {
    meaning: 'The login answered an expiry time that is past or cannot be read.',
    remedy: 'Correct the "expires" setting of the login.',
  },
  'extractor.authentication.jwt': {
    meaning: 'The key of the authentication cannot sign with the configured algorithm.',
    remedy: 'Give a PEM private key for RS, PS, ES and EdDSA algorithms, or a text for HS algorithms.',
  },
  'extractor.response.status': {
    meaning: 'The API answered an error status, after all attempts.',
    remedy: 'Read the body of the reply in the message; often a path or a credential is wrong.',
  },
  'extractor.response.rule': {
    meaning: 'An error rule of the configuration (api.http.errorRules) refuses the reply of the API.',
    remedy: 'Read the body of the reply in the message, or change the rule.',
  },
  'extractor.response.json': {
    meaning: 'The API answered something that is not JSON.',
    remedy: 'Check the endpoint, or ask the API for JSON with a header.',
  },
  'extractor.response.encoding': {
    meaning:
      'The bytes of a JSON response are no text in the charset that it names, or in UTF-8 when it names none. They would be lost.',
    remedy:
      'Name the right one: `"response": {"format": "json", "encoding": "windows-1252"}` in the job or in `api`.',
  },
  'extractor.response.damaged': {
    meaning: 'A reply is not what its format says, or it was cut off. Nothing of it was read.',
    remedy: 'Check "response" of the job (format, encoding, delimiter), or ask the API again.',
  },
  'extractor.response.format': {
    meaning: 'Neither the configuration nor the reply says what the reply is written in.',
    remedy: 'Set "format" in "response" of the job.',
  },
  'extractor.pagination.endless': {
    meaning:
      'A job would not end: it asks again for what it asked for, gets the same rows for the third time, or has more than 1,000,000 pages.',
    remedy:
      'Correct the pagination: the API may not know the parameter of the page, or names the same page again and again.',
  },
  'extractor.response.tooLarge': {
    meaning: 'One reply of the API is larger than the limit, or has more values than there is memory for.',
    remedy: 'Ask for smaller pages, or raise api.http.bodyLimitBytes.',
  },
  'extractor.response.depth': {
    meaning: 'The reply of the API is nested too deeply.',
    remedy: 'Ask the API for less, or for another format.',
  },
  'extractor.response.ambiguous': {
    meaning: 'The reply holds several lists, and the job does not say which one is the data.',
    remedy: 'Set "dataField" of the job.',
  },
  'extractor.response.unknown': {
    meaning: 'The reply holds nothing that could be rows.',
    remedy: 'Check the endpoint and "dataField" of the job.',
  },
  'extractor.filter.notAList': {
    meaning: 'A response filter expects a list where the reply has another value.',
    remedy: 'Correct "responseFilter" of the job.',
  },
  'extractor.pagination.cursor': {
    meaning: 'The cursor in a row of the reply is not a number.',
    remedy: 'Correct "idKey" of the paging, so that it leads to numbers.',
  },
  'extractor.pagination.value': {
    meaning: 'The address of the next page is not a text.',
    remedy: 'Correct "urlKey" of the paging.',
  },
  'extractor.placeholder': {
    meaning: 'A placeholder of a child job has no value in the parent row, or too many combinations.',
    remedy: 'Correct the path or the level of the placeholder.',
  },
  'extractor.value.order': {
    meaning: 'A value that is remembered for the next run does not have the configured kind.',
    remedy: 'Correct the path or the kind of the value.',
  },
  'extractor.job.empty': {
    meaning: 'A job that must not be empty gave no rows.',
    remedy: 'Check the endpoint, or remove "failWhenEmpty".',
  },
  'extractor.job.silent': {
    meaning:
      'A job ended although the answers of its API say that there is more, and `"silence": "fail"` is set.',
    remedy: 'Do what the message says. `"silence": "warn"` says it and goes on.',
  },
  'extractor.job.incomplete': {
    meaning:
      'A job with "completeness" got other rows than the API says there are, or the same row on several pages.',
    remedy:
      'Run it again, or set "completeness" to "warn". When the total counts something else, name another with "total".',
  },
  'extractor.job.limit': {
    meaning: 'The run would ask its API for more than "api.limits" allows. Nothing was loaded.',
    remedy: 'Raise the limit, ask for less, or set "do" to "stop" to load what was read until then.',
  },
  'extractor.tables.differentColumns': {
    meaning: 'Two mappings write tables of one name with different columns.',
    remedy: 'Give the tables different names, or the same columns.',
  },
  'extractor.tables.incompatibleTypes': {
    meaning: 'A value changes its kind between rows, for example from a text to an object.',
    remedy: 'Map the columns of the table.',
  },
  'extractor.tables.notSingleValue': {
    meaning: 'A mapped column gets an object or a list.',
    remedy: 'Map a value inside it, or set "forceType" of the column.',
  },
  'extractor.tables.parentNotScalar': {
    meaning: 'The column that would link child rows to their parent holds no single value.',
    remedy: 'Map the table, or rename what collides with the parent id.',
  },
  'extractor.tables.tooDeep': {
    meaning: 'The data are nested too deeply to become tables.',
    remedy: 'Map the columns of the table.',
  },
  'extractor.tables.unknownColumn': {
    meaning: 'A row has a value for a column that the table does not have.',
    remedy: 'Map the columns of the table.',
  },
  'extractor.checkpoint': {
    meaning: 'The checkpoint is damaged, or belongs to another configuration.',
    remedy: 'Start anew without it.',
  },
  'extractor.run.authorRefused': {
    meaning:
      'A token that stored a part of the run or set it off was deleted, expired, or may do less than before.',
    remedy:
      'Store with another token what it stored: the configuration, its rows, their secrets, the trigger.',
  },
  'extractor.run.configurationChanged': {
    meaning: 'Another token changed the configuration after the run was asked for.',
    remedy: 'Look at the change, then run the configuration again.',
  },
  'extractor.run.scheduleDisarmed': {
    meaning: 'A token with too few rights stored a part of the configuration, which disarmed its schedule.',
    remedy: 'Store that part with a token that has the rights.',
  },
  'extractor.run.noToken': {
    meaning: 'The run has no token of its own.',
    remedy: 'Start the run again.',
  },
  'extractor.run.leaseLost': {
    meaning: 'Another run of the configuration began, because this one seemed to be over.',
    remedy: 'Look at the other run: it does the same work.',
  },
  'extractor.run.stuck': {
    meaning: 'The API has sent no page for a long time, and the row was given up.',
    remedy: 'Check that the API is up, then run again.',
  },
  'extractor.run.mapping': {
    meaning: 'The input or output mapping is not valid.',
    remedy: 'Correct the fields that the message names.',
  },
  'extractor.run.iterations': {
    meaning: 'The table to iterate over is not in the input mapping, or has too many rows.',
    remedy: 'Add the table to the input mapping, or narrow it there.',
  },
  'extractor.draft': {
    meaning: 'No configuration can be made of the command, document or answer that was given.',
    remedy: 'Do what the message says, or write the configuration by hand.',
  },
  'extractor.preview.refused': {
    meaning: 'The configuration reads a table or logs in with a refresh token, which a preview does not do.',
    remedy: 'Run the configuration.',
  },
  'extractor.run.input': {
    meaning: 'A table of the input mapping could not be read.',
    remedy: 'Do what the message says; look at the job that it names.',
  },
  'extractor.run.destination': {
    meaning: 'An extracted table would be loaded into something that is not a table id.',
    remedy: 'Name its destination in storage.output.tables.',
  },
  'extractor.run.load': {
    meaning: 'An extracted table could not be loaded, and the service gave no code.',
    remedy: 'Do what the message says; look at the job that it names.',
  },
  'extractor.run.failed': {
    meaning: 'A step of the run refused its work.',
    remedy: 'Do what the message says.',
  },
} as const satisfies Record<string, ErrorEntry>
