import type { ErrorEntry } from './entry.ts'

/** Errors of the import of landed objects. */
export const landingCodes = {
  'landing.keyNotRecognised': {
    meaning: 'Neither a landing rule nor the convention says which table the key is for.',
    remedy: 'Upload to <bucket id>/<table>.csv, or add a landing rule to the stack configuration.',
  },
  'landing.invalidTableId': {
    meaning: 'The key names a table whose id cannot be used.',
    remedy: 'Use a bucket id like in.c-main, and letters, digits, dashes and underscores for the table.',
  },
  'landing.unknownMetadata': {
    meaning: 'The object has metadata with a name that is nearly one of ours.',
    remedy: 'Upload the object again with the name in the message.',
  },
  'landing.invalidMetadata': {
    meaning: 'The metadata of the object has a value that cannot be used.',
    remedy: 'Upload the object again with a valid value.',
  },
  'landing.objectGone': {
    meaning: 'The object was deleted before it was imported.',
    remedy: 'Upload it again.',
  },
  'landing.reloadFailed': {
    meaning: 'A version that came late was loaded, but newer versions could not be loaded again after it.',
    remedy: 'Upload the newest version once more.',
  },
  'landing.leaseLost': {
    status: 503,
    meaning: 'Another execution has taken the object over.',
    remedy: 'Nothing: that execution does the work.',
  },
  'landing.uploadGone': {
    status: 503,
    meaning: 'The multipart upload of a file was aborted before its parts were there.',
    remedy: 'Nothing: the step is tried again by itself, with another file.',
  },
} as const satisfies Record<string, ErrorEntry>
