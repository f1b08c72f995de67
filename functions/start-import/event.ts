import { z } from 'zod'

/** The object to import, wherever its name came from. */
export interface LandedObject {
  bucket: string
  key: string
  /** Absent when the bucket keeps no versions. */
  versionId?: string | undefined
  /** Grows with the writes of one key (S3 User Guide, "Event message structure"); absent when a person asks. */
  sequencer?: string | undefined
}

/** EventBridge "Object Created" of S3 (S3 User Guide, "EventBridge event message structure"). Keys are not encoded. */
const objectCreated = z
  .object({
    source: z.literal('aws.s3'),
    'detail-type': z.literal('Object Created'),
    detail: z.object({
      bucket: z.object({ name: z.string().min(1) }),
      object: z.object({
        key: z.string().min(1),
        'version-id': z.string().optional(),
        sequencer: z
          .string()
          .regex(/^[0-9A-Fa-f]+$/)
          .optional(),
      }),
    }),
  })
  .transform(
    ({ detail: { bucket, object } }): LandedObject => ({
      bucket: bucket.name,
      key: object.key,
      versionId: object['version-id'],
      sequencer: object.sequencer,
    }),
  )

/** The short form for a person who runs the machine by hand: `{"bucket":"…","key":"…"}`. */
const namedObject = z
  .strictObject({
    bucket: z.string().min(1),
    key: z.string().min(1),
    versionId: z.string().optional(),
  })
  .transform((object): LandedObject => object)

const failure = z.object({ Error: z.string().optional(), Cause: z.string().optional() })

/** `versionId`: of an older version than the event's own, which is imported first. */
const partsToMove = z.object({
  from: z.number().int().positive(),
  to: z.number().int().positive(),
  versionId: z.string().nullish(),
})

export type PartsToMove = z.infer<typeof partsToMove>

/** Input of the step: what landed, which execution asks, and what for: to import (no more fields), to move parts, or to clean up. */
export const startImportEvent = z.object({
  event: z.union([objectCreated, namedObject], {
    error: 'neither an "Object Created" event nor {bucket, key}',
  }),
  execution: z.string().min(1),
  /** When the execution began. Default: now. */
  since: z.iso
    .datetime({ offset: true })
    .transform(text => new Date(text))
    .optional(),
  failure: failure.optional(),
  /** Parts of an object that several functions move. */
  move: partsToMove.optional(),
})

export type StartImportEvent = z.infer<typeof startImportEvent>
