import { UserError } from '../../lib/errors/errors.ts'

/** What the events of a component must have: the keys of their `params` and `results`. Of others nothing is checked. */
const requiredKeys: Readonly<Record<string, { params?: readonly string[]; results?: readonly string[] }>> = {
  'keboola.keboola-as-code': { results: ['projectId'] },
}

/** Error: 400 `storage.event.schemaValidationFailed`, which names every key that is missing. */
export const checkEventSchema = (component: string, event: { params: object; results: object }): void => {
  const required = Object.hasOwn(requiredKeys, component) ? requiredKeys[component] : undefined
  const errors = (['params', 'results'] as const).flatMap(part =>
    (required?.[part] ?? [])
      .filter(name => !Object.hasOwn(event[part], name))
      .map(name => ({ key: `${part}.${name}`, message: `The property ${name} is required` })),
  )
  if (errors.length === 0) return
  const lines = errors.map(({ key, message }) => `\n - ${key}: "${message}"`)
  throw new UserError('storage.event.schemaValidationFailed', `Invalid event:${lines.join('')}`, {
    params: { errors },
  })
}
