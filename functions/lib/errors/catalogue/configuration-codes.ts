import type { ErrorEntry } from './entry.ts'

/** Errors of component configurations, their rows, schedules and secrets. */
export const configurationCodes = {
  configurationAlreadyExists: {
    status: 400,
    meaning: 'The component has a configuration with this id.',
    remedy: 'Update that one, or choose another id.',
  },
  configurationRowAlreadyExists: {
    status: 400,
    meaning: 'The configuration has a row with this id.',
    remedy: 'Update that one, or choose another id.',
  },
  'storage.components.validation': {
    status: 400,
    meaning: 'A setting of the configuration, row or state is not valid.',
    remedy: 'Correct the fields that the message names.',
  },
  'storage.componentsRows.validation': {
    status: 400,
    meaning: 'The body with the state of a row has another field.',
    remedy: 'Send the state alone.',
  },
  'validation.invalidConfigurationFormat': {
    status: 400,
    meaning: 'The field "configuration" is not a JSON object, is nested too deep or is too large.',
    remedy: 'Send a JSON object within the limits that the message names.',
  },
  'validation.invalidStateFormat': {
    status: 400,
    meaning: 'The field "state" is not a JSON object, is nested too deep or is too large.',
    remedy: 'Send a JSON object within the limits that the message names.',
  },
  'validation.invalidRowSortOrder': {
    status: 400,
    meaning: 'The sort order does not name each row once.',
    remedy: 'Name every row of the configuration exactly once.',
  },
  'storage.components.configurations.versionConflict': {
    status: 409,
    meaning: 'Many writers change the configuration at once, and this change lost.',
    remedy: 'Send the request again.',
  },
  'storage.components.configurations.versionChanged': {
    status: 412,
    meaning: 'The configuration has another version than the If-Match header names.',
    remedy: 'Read the configuration again, and make the change to what it is now.',
  },
  'storage.components.cannotDeleteConfiguration': {
    status: 400,
    meaning:
      'The configuration is in the trash of a development branch, where it stays until the branch is deleted.',
    remedy: 'Leave it there, or reset it to the default branch.',
  },
  'storage.components.notRunnable': {
    status: 400,
    meaning: 'Configurations of this component are not run here.',
    remedy: 'Run a configuration of the extractor.',
  },
  'storage.components.busy': {
    status: 503,
    meaning: 'Other requests change the configuration at this moment.',
    remedy: 'Send the request again after the time in Retry-After.',
  },
  'schedule.invalid': {
    status: 400,
    meaning: 'The schedule of the configuration is not valid.',
    remedy: 'Correct the expression or the time zone that the message names.',
  },
  'secrets.notOpened': {
    status: 400,
    meaning: 'A secret was sealed for another configuration, project or service, and cannot be opened.',
    remedy: 'Enter the secret again.',
  },
  'secrets.tooMany': {
    status: 400,
    meaning: 'One request brings more new secrets than are sealed at once.',
    remedy: 'Send the secrets in several requests.',
  },
} as const satisfies Record<string, ErrorEntry>
