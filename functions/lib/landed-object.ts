import * as z from 'zod/mini'

/** An object to import, wherever its name came from. */
export interface LandedObject {
  bucket: string
  key: string
  /** Absent when the bucket keeps no versions. */
  versionId?: string | undefined
  /** Grows with the writes of one key (S3 User Guide, "Event message structure"); absent when a person asks. */
  sequencer?: string | undefined
}

const text = z.string().check(z.minLength(1))

/** EventBridge "Object Created" of S3 (S3 User Guide, "EventBridge event message structure"). Keys are not encoded. */
const objectCreated = z.pipe(
  z.object({
    source: z.literal('aws.s3'),
    'detail-type': z.literal('Object Created'),
    detail: z.object({
      bucket: z.object({ name: text }),
      object: z.object({
        key: text,
        'version-id': z.optional(z.string()),
        sequencer: z.optional(z.string().check(z.regex(/^[0-9A-Fa-f]+$/))),
      }),
    }),
  }),
  z.transform(
    ({ detail: { bucket, object } }): LandedObject => ({
      bucket: bucket.name,
      key: object.key,
      versionId: object['version-id'],
      sequencer: object.sequencer,
    }),
  ),
)

/** The short form for a person who runs the machine by hand: `{"bucket":"…","key":"…"}`. */
const namedObject = z.pipe(
  z.strictObject({ bucket: text, key: text, versionId: z.optional(z.string()) }),
  z.transform((object): LandedObject => object),
)

/** What the import machine is started with. */
export const landedObject = z.union([objectCreated, namedObject], {
  error: 'neither an "Object Created" event nor {bucket, key}',
})
