import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type Component, componentFile } from '../../lib/wire/component-body.ts'

/**
 * Reads the components from a folder of JSON files: one component each, in a file named `<component id>.json`, or a list
 * of them in a file of any name. A component's own file takes the place of its entry in a list. Throws when a file is
 * invalid, named after another component, or lists a component that another list has, which stops the making of the
 * stack (docs/components.md).
 */
export const readCatalogue = (folder: string) => {
  const files = readdirSync(folder)
    .filter(file => file.endsWith('.json'))
    .map(file => ({ file, content: JSON.parse(readFileSync(join(folder, file), 'utf8')) as unknown }))
  const byId = new Map<string, Component>()
  for (const { file, content } of files)
    for (const entry of Array.isArray(content) ? content : []) {
      const component = readComponent(file, entry)
      if (byId.has(component.id)) throw new Error(`The component ${component.id} in ${file} is listed twice`)
      byId.set(component.id, component)
    }
  for (const { file, content } of files) {
    if (Array.isArray(content)) continue
    const component = readComponent(file, content)
    if (`${component.id}.json` !== file)
      throw new Error(`The component in ${file} has the id ${component.id}: name the file after it`)
    byId.set(component.id, component)
  }
  const components = [...byId.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return {
    get: (id: string): Component | undefined => byId.get(id),
    /** By id. */
    list: (): readonly Component[] => components,
  }
}

export type Catalogue = ReturnType<typeof readCatalogue>

const readComponent = (file: string, content: unknown): Component => {
  const parsed = componentFile.safeParse(content)
  if (!parsed.success)
    throw new Error(`The component in ${file} is not valid:\n${z.prettifyError(parsed.error)}`)
  return parsed.data
}
