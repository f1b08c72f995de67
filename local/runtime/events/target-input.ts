import type { RuleTarget } from '../resources/rule.ts'
import { unsupported } from '../template/unsupported.ts'

/** The text that a target receives for an event. */
export type TargetInput = (event: Readonly<Record<string, unknown>>) => string

/**
 * What a rule's target receives: the event, a part of it (`InputPath`), a constant (`Input`), or a template with
 * values of the event (`InputTransformer`). Paths are plain ones, such as `$.detail.object.key`.
 */
export const compileInput = (target: RuleTarget, where: string): TargetInput => {
  const given = [target.Input, target.InputPath, target.InputTransformer].filter(value => value !== undefined)
  if (given.length > 1) throw unsupported(where, 'only one of Input, InputPath and InputTransformer')
  if (target.Input !== undefined) {
    const constant = target.Input
    return () => constant
  }
  if (target.InputPath !== undefined) {
    const read = compilePath(target.InputPath, where)
    return event => JSON.stringify(read(event) ?? null)
  }
  if (target.InputTransformer !== undefined) {
    const { InputPathsMap, InputTemplate } = target.InputTransformer
    const paths = Object.entries(InputPathsMap).map(
      ([name, path]) => [name, compilePath(path, where)] as const,
    )
    return event =>
      fill(InputTemplate, Object.fromEntries(paths.map(([name, read]) => [name, read(event)])), where)
  }
  return event => JSON.stringify(event)
}

const compilePath = (path: string, where: string) => {
  if (!/^\$(\.[\w-]+)*$/.test(path)) throw unsupported(where, `the path ${path} is not a plain one`)
  const names = path.split('.').slice(1)
  return (event: unknown): unknown =>
    names.reduce<unknown>(
      (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
      event,
    )
}

/**
 * EventBridge User Guide, "Transforming Amazon EventBridge target input": inside quotes a text is inserted as JSON
 * escapes it, outside of quotes any value is inserted as JSON.
 */
const fill = (template: string, values: Readonly<Record<string, unknown>>, where: string): string => {
  let isInsideQuotes = false
  return template.replaceAll(/\\.|"|<([\w.-]+)>/g, (part, name: string | undefined) => {
    if (part === '"') isInsideQuotes = !isInsideQuotes
    if (name === undefined) return part
    if (!(name in values)) throw unsupported(where, `the template's <${name}> has no path`)
    const json = JSON.stringify(values[name] ?? null)
    if (!isInsideQuotes) return json
    return typeof values[name] === 'string' ? json.slice(1, -1) : JSON.stringify(json).slice(1, -1)
  })
}
