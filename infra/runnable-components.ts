import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const component = z.object({ id: z.string(), type: z.string(), hasRun: z.boolean().default(false) })
const catalogueFile = z.union([component.transform(one => [one]), z.array(component)])

/** Components of the catalogue in this folder whose configurations the extract machine runs (docs/components.md). */
export const runnableComponents = (folder: string): string[] => {
  const files = readdirSync(folder)
    .filter(file => file.endsWith('.json'))
    .map(file => catalogueFile.parse(JSON.parse(readFileSync(join(folder, file), 'utf8'))))
    // A component's own file takes the place of its entry in a list: the last one of an id counts.
    .toSorted((a, b) => b.length - a.length)
  const byId = new Map(files.flat().map(entry => [entry.id, entry]))
  const runnable = [...byId.values()].filter(({ hasRun, type }) => hasRun && type === 'extractor')
  return runnable.map(({ id }) => id).toSorted()
}
