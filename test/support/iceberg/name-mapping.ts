import { z } from 'zod'

/** Property of a table: which names the columns have in files without field ids (specification, "Column Projection"). */
export const NAME_MAPPING_PROPERTY = 'schema.name-mapping.default'

const nameMapping = z.array(z.looseObject({ 'field-id': z.int().optional(), names: z.array(z.string()) }))

/** Field id by the name of a column in a file without field ids. Empty when the table has no name mapping. */
export const readNameMapping = (properties: Readonly<Record<string, string>>): Map<string, number> => {
  const text = properties[NAME_MAPPING_PROPERTY]
  const ids = new Map<string, number>()
  if (text === undefined) return ids
  for (const { 'field-id': id, names } of nameMapping.parse(JSON.parse(text)))
    if (id !== undefined) for (const name of names) ids.set(name, id)
  return ids
}
