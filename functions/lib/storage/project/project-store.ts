import { z } from 'zod'
import type { ItemTable } from '../../items/item-table.ts'

const projectRecord = z.object({ created: z.string() })

/** Facts about the installation, stored when they are first asked for. */
export const createProjectStore = (items: ItemTable, now: () => Date) => {
  const key = { pk: 'PROJECT', sk: 'PROJECT' }
  let created: string | undefined

  return {
    /** When the service was first used, ISO 8601. */
    async created(): Promise<string> {
      if (created) return created
      await items.put(key, { created: now().toISOString() }, 'absent')
      created = projectRecord.parse(await items.get(key)).created
      return created
    },
  }
}
