import { type LoadPlace, loadPrefix } from '../lib/distributed/load-place.ts'
import { refusalOf } from '../lib/distributed/refusal.ts'
import type { SplitWorkServices } from './services.ts'

/** Writes the records of a group as Parquet files that no table has yet. */
export const stageGroup = async (
  load: LoadPlace,
  item: number,
  { documents, tableEngine }: SplitWorkServices,
): Promise<void> => {
  const { source, loadedAt } = await documents.read(load, 'request')
  const cut = await documents.read(load, 'cut')
  const folded = await documents.read(load, 'folded')
  if (!('files' in cut && 'groups' in folded)) throw new Error('A load that is refused has nothing to stage')
  const { files, importedColumns, table } = cut
  const engine = await tableEngine()
  try {
    const staged = await engine.stageRange({
      parts: (folded.groups[item] ?? []).map(({ file: index, ...part }) => {
        const file = files[index]
        if (!file) throw new Error(`The load has no file ${index}`)
        return { ...part, address: file.address, source: file.source }
      }),
      csv: source,
      importedColumns,
      fields: table.fields,
      isKeyed: table.primaryKey.length > 0,
      loadedAt: new Date(loadedAt),
      range: item,
      keyPrefix: loadPrefix(load),
    })
    await documents.write(load, 'staged', { files: staged.files }, item)
  } catch (error) {
    await documents.write(load, 'staged', { refusal: refusalOf(error) }, item)
  }
}
