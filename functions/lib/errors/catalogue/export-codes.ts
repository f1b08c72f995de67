import type { ErrorEntry } from './entry.ts'

/** Errors of the export machine, which merges slices to one object. */
export const exportCodes = {
  'export.destinationExists': {
    meaning: 'There is an object at the destination, and "overwrite" is false.',
    remedy: 'Choose another key, or set "overwrite" to true.',
  },
  'export.destinationForbidden': {
    meaning: 'The export may not write to the destination.',
    remedy: 'Name the bucket in the stack configuration, and allow the role of the export in its policy.',
  },
  'export.destinationMissing': {
    meaning: 'The bucket of the destination does not exist.',
    remedy: 'Create the bucket, or correct its name.',
  },
  'export.sliceTooLarge': {
    meaning: 'A compressed slice is larger than can be expanded.',
    remedy: 'Export with "gzip": true.',
  },
  'export.brokenGzip': {
    meaning: 'A compressed slice is damaged and cannot be expanded.',
    remedy: 'Export the table again.',
  },
} as const satisfies Record<string, ErrorEntry>
