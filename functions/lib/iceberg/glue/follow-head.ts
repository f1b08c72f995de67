import { TransientError } from '../../errors/errors.ts'
import { digestUuid } from '../commit/object-name.ts'
import { parseMetadata } from '../metadata/parse-metadata.ts'
import type { ObjectReader } from '../object-reader.ts'
import { IcebergRefusal } from '../refusal.ts'
import type { GlueCatalog, MetadataFile } from './glue-catalog.ts'

const MAX_ATTEMPTS = 5

/** A commit that somebody else made through Glue. It is not part of the table. */
interface ForeignCommit {
  metadataLocation: string
  /** The id that its query has in the engine that ran it, when it was noted. */
  queryId: string | undefined
}

interface FollowHeadRequest {
  catalog: GlueCatalog
  /** The table's name in Glue. */
  name: string
  read: ObjectReader
  /** Read each time after Glue's pointer: so the pointer never goes back to a head that was replaced meanwhile. */
  readHead: () => Promise<MetadataFile | undefined>
  /** Called before the pointer leaves the commit. */
  onForeign: (commit: ForeignCommit) => Promise<void>
}

/**
 * Points Glue to the metadata file of the table's head; a table that Glue lacks is registered. What Glue points to
 * although we never committed it is reported first. May be repeated, and run side by side.
 */
export const followHead = async ({
  catalog,
  name,
  read,
  readHead,
  onForeign,
}: FollowHeadRequest): Promise<void> => {
  const reported = new Set<string>()
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const found = await catalog.find(name)
    const head = await readHead()
    if (!head) return catalog.drop(name)
    if (found?.metadataLocation === head.location) return
    if (!found) {
      if (await catalog.create(name, head)) return
      continue
    }
    const { metadataLocation } = found
    if (!reported.has(metadataLocation) && !(await isOurs(metadataLocation, head, read))) {
      await onForeign({ metadataLocation, queryId: await queryIdOf(metadataLocation, read) })
      reported.add(metadataLocation)
    }
    if (await catalog.move(found, head)) return
  }
  throw new TransientError(
    'storage.tables.busy',
    `The table "${name}" is being changed in the Glue Data Catalog by somebody else.`,
  )
}

const metadataName = /\/\d{5,}-([0-9a-f-]{36})\.metadata\.json$/

/** Our metadata files are named after their content, which other writers do not do. The head names what it adopted. */
const isOurs = async (location: string, { metadata }: MetadataFile, read: ObjectReader): Promise<boolean> => {
  if (metadata['metadata-log'].some(({ 'metadata-file': logged }) => logged === location)) return true
  const [, name] = metadataName.exec(location) ?? []
  if (name === undefined) return false
  const content = await readIfThere(location, read)
  return content !== undefined && digestUuid(content) === name
}

/** A pointer may name what is not there, or not ours to read: the commit is foreign all the same. */
const readIfThere = (location: string, read: ObjectReader): Promise<Uint8Array | undefined> =>
  read(location).catch(() => undefined)

const queryIdOf = async (location: string, read: ObjectReader): Promise<string | undefined> => {
  const content = await readIfThere(location, read)
  if (!content) return undefined
  try {
    const { snapshots, 'current-snapshot-id': current } = parseMetadata(Buffer.from(content).toString('utf8'))
    const snapshot = snapshots.find(({ 'snapshot-id': id }) => id === current)
    return snapshot?.summary['trino_query_id']
  } catch (error) {
    if (error instanceof IcebergRefusal) return undefined
    throw error
  }
}
