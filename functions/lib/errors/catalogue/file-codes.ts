import type { ErrorEntry } from './entry.ts'

/** Errors of files, their slices and the S3 objects that hold them. */
export const fileCodes = {
  'storage.files.notFound': {
    status: 404,
    meaning: 'There is no such file.',
    remedy: 'Check the file id; a file may have expired.',
  },
  'storage.files.busy': {
    status: 503,
    meaning: 'Many requests change the file at this moment.',
    remedy: 'Send the request again after the time in Retry-After.',
  },
  'storage.fileNotUploaded': {
    status: 400,
    meaning: 'The file was prepared, but its data was not uploaded.',
    remedy: 'Upload the data to the place that files/prepare named, then import it.',
  },
  'storage.importFileMissing': {
    status: 400,
    meaning: 'The data of the file is no longer in the object store.',
    remedy: 'Upload the file again, then import it.',
  },
  'storage.sliceMissing': {
    status: 400,
    meaning: 'The manifest names a slice that was not uploaded.',
    remedy: 'Upload the slice, and the manifest after it.',
  },
  'storage.manifestFileMissing': {
    status: 400,
    meaning: 'The sliced file has no manifest.',
    remedy: 'Upload the manifest after all slices.',
  },
  'storage.manifestFileInvalid': {
    status: 400,
    meaning: 'The manifest of the sliced file cannot be read.',
    remedy: 'Upload a manifest of the form {"entries": [{"url": "s3://..."}]}.',
  },
  'storage.unauthorizedAccess': {
    status: 400,
    meaning: 'The manifest names an object outside the file.',
    remedy: 'Name only slices below the prefix in the message.',
  },
  'storage.snapshots.notFound': {
    status: 404,
    meaning: 'There is no such snapshot.',
    remedy: 'Check the snapshot id.',
  },
  'storage.snapshots.otherShape': {
    meaning: 'The rows of the snapshot do not fit the table any more, or are those of another one.',
    remedy: 'Make a new table of the snapshot.',
  },
  'source.changed': {
    status: 400,
    meaning: 'An object was replaced or deleted while it was read.',
    remedy: 'Start again when nobody writes the object.',
  },
  'source.cutOff': {
    status: 503,
    meaning: 'S3 sent fewer bytes of an object than it was asked for, several times.',
    remedy: 'Nothing: the step is tried again by itself.',
  },
  's3.checksumDiffers': {
    status: 503,
    meaning: 'What was read of an object has another checksum than S3 keeps of it.',
    remedy: 'Nothing: the step is tried again by itself.',
  },
  's3.objectChanged': {
    status: 503,
    meaning: 'An object of a table was replaced while it was read.',
    remedy: 'Nothing: the step is tried again by itself.',
  },
  'multipart.tooLarge': {
    status: 400,
    meaning: 'The data is larger than one S3 object can be.',
    remedy: 'Split the data into several objects.',
  },
  'path.outside': {
    status: 400,
    meaning: 'A name would lead to a file outside its folder.',
    remedy: 'Use a name without "..", slashes and control characters.',
  },
} as const satisfies Record<string, ErrorEntry>
