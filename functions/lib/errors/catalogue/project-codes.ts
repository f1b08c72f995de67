import type { ErrorEntry } from './entry.ts'

/** Errors of jobs, tokens, branches, events, metadata and triggers. */
export const projectCodes = {
  'storage.jobs.notFound': {
    status: 404,
    meaning: 'There is no such job.',
    remedy: 'Check the job id.',
  },
  'storage.jobs.cancelled': {
    meaning: 'Somebody has cancelled the job or the run. The message says with which token.',
    remedy: 'Send the request again if it is still wanted. Tables that a run had loaded before stay loaded.',
  },
  'storage.jobs.ended': {
    status: 409,
    meaning: 'The job or the run has ended, so that there is nothing to cancel.',
    remedy: 'Look at how it ended.',
  },
  'storage.jobs.overtaken': {
    meaning:
      'The job had lost its place in the queue of its table, and jobs that were accepted after it have begun. It was not done, since it would write older values over theirs.',
    remedy: 'Send the request again if its data are still wanted. Tell us: this should not happen.',
  },
  'storage.deadLetters.notFound': {
    status: 404,
    meaning: 'There is no such dead letter.',
    remedy: 'List the dead letters; it may have been redriven or deleted.',
  },
  'storage.deadLetters.notRedrivable': {
    status: 400,
    meaning: 'What failed cannot be started again.',
    remedy: 'Do what the dead letter says in its "redrive", then delete it.',
  },
  'storage.runs.notFound': {
    status: 404,
    meaning: 'There is no such run, or it is older than 90 days.',
    remedy: 'List the runs to see their ids.',
  },
  'storage.tokens.notFound': {
    status: 404,
    meaning: 'There is no such token.',
    remedy: 'Check the token id; the token may be deleted.',
  },
  'storage.tokens.validation': {
    status: 400,
    meaning: 'A setting of the token is not valid.',
    remedy: 'Correct the fields that the message names.',
  },
  'storage.tokens.invalidPermissions': {
    status: 400,
    meaning: 'The bucket permissions of the token are not valid.',
    remedy: 'Give "read" or "write" for buckets that exist.',
  },
  'storage.token.cannotShareMasterToken': {
    status: 400,
    meaning: 'The master token is never shared.',
    remedy: 'Make a token for the person.',
  },
  'storage.tokens.cannotDeleteDueToOrchestration': {
    status: 400,
    meaning: 'A trigger runs its configuration with the rights of this token.',
    remedy: 'Delete the trigger that the message names, or give it another token.',
  },
  'storage.tokens.masterToken': {
    status: 400,
    meaning: 'The master token cannot be changed by the API.',
    remedy:
      'Replace it in the secret of the stack (docs/deploy.md). Where MILLRACE_TOKEN gives it, start again with another value.',
  },
  'storage.outOfSpace': {
    status: 503,
    meaning:
      'The disk of the storage service is full. Nothing that was acknowledged is lost, and reading still works.',
    remedy: 'Make room on the disk. Work that waits continues by itself; send the refused request again.',
  },
  'storage.tokens.busy': {
    status: 503,
    meaning: 'Many requests change the token at this moment.',
    remedy: 'Send the request again after the time in Retry-After.',
  },
  'storage.devBranch.cannotRenameDefault': {
    status: 400,
    meaning: 'The default branch keeps its name.',
    remedy: 'Change its description only.',
  },
  'devBranch.duplicateName': {
    status: 400,
    meaning: 'There is a branch with this name.',
    remedy: 'Choose another name.',
  },
  'storage.devBranch.cannotDeleteDefault': {
    status: 400,
    meaning: 'The default branch cannot be deleted.',
    remedy: 'Delete what it holds instead.',
  },
  'storage.branches.busy': {
    status: 503,
    meaning: 'Many requests change the branch at this moment.',
    remedy: 'Send the request again after the time in Retry-After.',
  },
  'storage.events.notFound': {
    status: 404,
    meaning: 'There is no such event.',
    remedy: 'Check the event id; events expire.',
  },
  'storage.events.validation': {
    status: 400,
    meaning: 'A field of the event is not valid.',
    remedy: 'Correct the fields that the message names.',
  },
  'storage.event.schemaValidationFailed': {
    status: 400,
    meaning: 'The event lacks what events of its component must have.',
    remedy: 'Send the keys that the message names.',
  },
  requestTooLarge: {
    status: 400,
    meaning: 'The event is larger than one may be.',
    remedy: 'Send less in its message, params, results or description.',
  },
  'storage.metadata.notFound': {
    status: 404,
    meaning: 'There is no metadata with this id here.',
    remedy: 'List the metadata of the object to see their ids.',
  },
  'storage.metadata.invalidStructure': {
    status: 400,
    meaning: 'The metadata is not a list of objects with key and value.',
    remedy: 'Send metadata as [{"key": ..., "value": ...}].',
  },
  'storage.metadata.invalidKey': {
    status: 400,
    meaning: 'A key of the metadata cannot be used.',
    remedy: 'Shorten the key, and leave out "%" and "+".',
  },
  'storage.metadata.invalidProvider': {
    status: 400,
    meaning:
      'The provider of the metadata is missing, is not a text, or is "storage", which only the service uses (then 403).',
    remedy: 'Name the provider, for example "user".',
  },
  'storage.metadata.invalidParameter': {
    status: 400,
    meaning: 'A parameter of the metadata is not valid.',
    remedy: 'Correct what the message names.',
  },
  'storage.metadata.busy': {
    status: 503,
    meaning: 'Many requests change the metadata at this moment.',
    remedy: 'Send the request again after the time in Retry-After.',
  },
  'storage.triggers.tokenExpires': {
    status: 400,
    meaning: 'The token that a trigger would run with has an expiry.',
    remedy: 'Name a token that never expires.',
  },
  'storage.triggers.notFound': {
    status: 404,
    meaning: 'There is no such trigger.',
    remedy: 'Check the trigger id.',
  },
  'storage.triggers.busy': {
    status: 503,
    meaning: 'Many requests change it at this moment.',
    remedy: 'Send the request again after the time in Retry-After.',
  },
} as const satisfies Record<string, ErrorEntry>
