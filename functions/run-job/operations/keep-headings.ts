import { descriptionMetadatum, metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import type { RenamedColumn } from '../../lib/table-engine/csv/map-columns.ts'
import type { RunJobServices } from '../job/services.ts'

/**
 * Keeps the headings of new columns that have other names, as their descriptions. Before the table changes, so that whoever sees a column
 * sees it; a load that is repeated sets the same.
 */
export const keepHeadings = async (
  table: { internalId: number },
  renamed: readonly RenamedColumn[],
  { metadata, nextId }: Pick<RunJobServices, 'metadata' | 'nextId'>,
): Promise<void> => {
  for (const { column, heading } of renamed)
    await metadata.set(
      metadataSubject.table(table),
      { ...descriptionMetadatum, column, value: heading },
      nextId(),
    )
}
