import pMap from 'p-map'
import { isLive, type ManifestEntry } from '../manifests/data-file.ts'
import { decodeManifest } from '../manifests/manifest.ts'
import { decodeManifestList, type ManifestFile } from '../manifests/manifest-list.ts'
import type { IcebergSnapshot, TableMetadata } from '../metadata/table-metadata.ts'
import type { ObjectReader } from '../object-reader.ts'
import { IcebergRefusal } from '../refusal.ts'

/** How many manifests are fetched in parallel: enough to hide the time of each request. */
const FETCHES = 8

/** The snapshot with this id, by default the current one. `undefined`: the table has none yet. */
export const findSnapshot = (metadata: TableMetadata, id?: bigint): IcebergSnapshot | undefined => {
  const wanted = id ?? metadata['current-snapshot-id']
  if (wanted === undefined) return undefined
  const snapshot = metadata.snapshots.find(candidate => candidate['snapshot-id'] === wanted)
  if (!snapshot) throw new IcebergRefusal(`The table has no snapshot ${wanted}.`)
  return snapshot
}

/** The manifests of a snapshot. */
export const readManifestList = async (
  read: ObjectReader,
  snapshot: IcebergSnapshot,
): Promise<ManifestFile[]> => {
  const path = snapshot['manifest-list']
  return decodeManifestList(await read(path), path)
}

/** All entries of a manifest, those of deleted files too. */
export const readManifest = async (read: ObjectReader, manifest: ManifestFile): Promise<ManifestEntry[]> => {
  const content = await read(manifest.path)
  if (content.length !== manifest.bytes)
    throw new IcebergRefusal(
      `The manifest ${manifest.path} has ${content.length} bytes instead of ${manifest.bytes}.`,
    )
  return decodeManifest(content, manifest)
}

/** The entries of the files that a snapshot consists of: rows and deletes. */
export const readLiveEntries = async (
  read: ObjectReader,
  snapshot: IcebergSnapshot,
): Promise<ManifestEntry[]> => {
  const manifests = await readManifestList(read, snapshot)
  const entries = await pMap(manifests, manifest => readManifest(read, manifest), { concurrency: FETCHES })
  return entries.flat().filter(isLive)
}
