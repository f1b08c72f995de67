import { z } from 'zod'
import { IcebergRefusal } from '#lib/iceberg/refusal.ts'

/** Property of a table: which names the columns have in files without field ids (specification, "Column Projection"). */
export const NAME_MAPPING_PROPERTY = 'schema.name-mapping.default'

const nameMapping = z.array(z.looseObject({ 'field-id': z.int().optional(), names: z.array(z.string()) }))

/** Field id by the name of a column in a file without field ids. Empty when the table has no name mapping. */
export const readNameMapping = (properties: Readonly<Record<string, string>>): Map<string, number> => {
  const text = properties[NAME_MAPPING_PROPERTY]
  const ids = new Map<string, number>()
  if (text === undefined) return ids
  for (const entry of parseMapping(text)) {
    const id = entry['field-id']
    if (id !== undefined) for (const name of entry.names) ids.set(name, id)
  }
  return ids
}

const parseMapping = (text: string): z.infer<typeof nameMapping> => {
  try {
    return nameMapping.parse(JSON.parse(text))
  } catch (cause) {
    throw new IcebergRefusal(`The property ${NAME_MAPPING_PROPERTY} of the table cannot be read.`, { cause })
  }
}
