import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type Component, componentFile } from './component.ts'

export interface Catalogue {
  get(id: string): Component | undefined
  /** By id. */
  list(): readonly Component[]
}

/**
 * Reads the components from a folder of JSON files, each named `<component id>.json`. Throws when a file is invalid or
 * named after another component, which stops the making of the stack (docs/components.md).
 */
export const readCatalogue = (folder: string): Catalogue => {
  const components = readdirSync(folder)
    .filter(file => file.endsWith('.json'))
    .map(file => readComponent(folder, file))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const byId = new Map(components.map(component => [component.id, component]))
  return { get: id => byId.get(id), list: () => components }
}

const readComponent = (folder: string, file: string): Component => {
  const parsed = componentFile.safeParse(JSON.parse(readFileSync(join(folder, file), 'utf8')))
  if (!parsed.success)
    throw new Error(`The component in ${file} is not valid:\n${z.prettifyError(parsed.error)}`)
  if (`${parsed.data.id}.json` !== file)
    throw new Error(`The component in ${file} has the id ${parsed.data.id}: name the file after it`)
  return parsed.data
}
