import { Readable } from 'node:stream'
import avro from 'avsc'
import { LRUCache } from 'lru-cache'
import { digestBytes } from '../../digests.ts'
import { IcebergRefusal } from '../refusal.ts'

/** A schema as an Avro header holds it, with Iceberg's `field-id` of each field. */
export type AvroSchema = string | AvroSchema[] | AvroRecord | AvroOther
export interface AvroField {
  name: string
  type: AvroSchema
  'field-id'?: number
  default?: unknown
}
interface AvroRecord {
  type: 'record'
  name: string
  fields: AvroField[]
}
interface AvroOther {
  type: string
  items?: AvroSchema
  [attribute: string]: unknown
}

interface AvroContent {
  /** The texts of the file's header, such as `partition-spec`. */
  header: Record<string, string>
  records: unknown[]
}

/** Longs as `bigint`: ids of snapshots use all 64 bits. */
const longType = avro.types.LongType.__with({
  fromBuffer: (bytes: Buffer) => bytes.readBigInt64LE(),
  toBuffer: (value: bigint) => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64LE(value)
    return bytes
  },
  fromJSON: BigInt,
  toJSON: Number,
  isValid: (value: unknown) => typeof value === 'bigint',
  compare: (left: bigint, right: bigint) => (left === right ? 0 : left < right ? -1 : 1),
})

/** Types by the text of their schema. Making one takes longer than reading a small manifest with it. */
const types = new LRUCache<string, avro.Type>({ max: 50 })

const typeOf = (schema: AvroSchema): avro.Type => {
  const text = JSON.stringify(schema)
  // avsc reads the schema as it stands in a header; its own type of schemas knows no `field-id`.
  const type = types.get(text) ?? avro.Type.forSchema(schema as avro.Schema, { registry: { long: longType } })
  types.set(text, type)
  return type
}

/** The schema with the fields renamed whose ids have a name: writers agree on the ids, not on all names. */
const withNames = (schema: AvroSchema, nameOf: (id: number) => string | undefined): AvroSchema => {
  if (typeof schema === 'string') return schema
  if (Array.isArray(schema)) return schema.map(member => withNames(member, nameOf))
  if (isRecord(schema))
    return {
      ...schema,
      fields: schema.fields.map(field => ({
        ...field,
        name: (field['field-id'] !== undefined && nameOf(field['field-id'])) || field.name,
        type: withNames(field.type, nameOf),
      })),
    }
  return schema.items === undefined ? schema : { ...schema, items: withNames(schema.items, nameOf) }
}

const isRecord = (schema: AvroRecord | AvroOther): schema is AvroRecord => schema.type === 'record'

interface AvroHeader {
  meta: Record<string, Buffer>
  sync: Buffer
}

const SYNC_LENGTH = 16

/**
 * Reads an Avro container file (codecs: none, deflate). Fields take the name that `nameOf` gives to their id.
 * Throws `IcebergRefusal` when the bytes are no such file or are cut.
 */
export const decodeAvro = async (
  bytes: Uint8Array,
  nameOf: (id: number) => string | undefined,
): Promise<AvroContent> => {
  const decoder = new avro.streams.BlockDecoder({
    parseHook: schema => typeOf(withNames(schema as AvroSchema, nameOf)),
  })
  const header: Record<string, string> = {}
  let sync: Buffer | undefined
  decoder.on('metadata', (_type: unknown, _codec: unknown, found: AvroHeader) => {
    sync = found.sync
    for (const [name, text] of Object.entries(found.meta)) header[name] = text.toString('utf8')
  })
  const records: unknown[] = []
  try {
    decoder.end(bytes)
    for await (const record of decoder) records.push(record)
  } catch (cause) {
    throw new IcebergRefusal('A manifest of the table is no Avro file that can be read.', { cause })
  }
  // The decoder passes over half a block at the end in silence.
  if (!sync?.equals(bytes.subarray(-SYNC_LENGTH)))
    throw new IcebergRefusal('A manifest of the table is cut: its last bytes are missing.')
  return { header, records }
}

// Avro specification, "Object Container Files".
const headerType = avro.Type.forSchema({
  type: 'record',
  name: 'Header',
  fields: [
    { name: 'magic', type: { type: 'fixed', name: 'Magic', size: 4 } },
    { name: 'meta', type: { type: 'map', values: 'bytes' } },
    { name: 'sync', type: { type: 'fixed', name: 'Sync', size: SYNC_LENGTH } },
  ],
})

/**
 * An Avro container file. The same content gives the same bytes. It is not compressed: icebird's inflate fails on some
 * raw deflate streams, and the texts of the header, which nobody compresses, are most of a usual manifest.
 *
 * We write the header ourselves: the library's encoder leaves `field-id` out of it when longs are `bigint`.
 */
export const encodeAvro = async (schema: AvroSchema, { header, records }: AvroContent): Promise<Buffer> => {
  const texts = { ...header, 'avro.schema': JSON.stringify(schema), 'avro.codec': 'null' }
  const sync = digestBytes(JSON.stringify(texts)).subarray(0, SYNC_LENGTH)
  const meta = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)]))
  const encoder = new avro.streams.BlockEncoder(typeOf(schema), {
    syncMarker: sync,
    writeHeader: 'never',
  })
  Readable.from(records).pipe(encoder)
  const blocks: Buffer[] = []
  for await (const block of encoder) blocks.push(block)
  return Buffer.concat([headerType.toBuffer({ magic: Buffer.from('Obj\x01'), meta, sync }), ...blocks])
}
