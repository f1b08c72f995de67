import type { NewObject } from '#lib/iceberg/commit/table-change.ts'
import type { ObjectReader } from '#lib/iceberg/object-reader.ts'

/** Objects by location, and the reader that the code under test gets. */
export const createObjectStore = () => {
  const objects = new Map<string, Uint8Array>()
  const read: ObjectReader = async location => {
    const content = objects.get(location)
    if (!content) throw new Error(`there is no object ${location}`)
    return content
  }
  return {
    objects,
    read,
    put: (written: readonly NewObject[]): void => {
      for (const { location, content } of written) objects.set(location, content)
    },
  }
}

export type ObjectStore = ReturnType<typeof createObjectStore>
