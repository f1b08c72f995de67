import { isObject } from '#lib/json/json-value.ts'
import { unsupported } from './unsupported.ts'

/** What intrinsics refer to. Each look-up throws for an unknown name. */
export interface Scope {
  /** `Ref` of a resource, a parameter or a pseudo parameter. */
  ref(name: string): unknown
  getAtt(logicalId: string, attribute: string): unknown
  condition(name: string): boolean
}

type Intrinsic = (argument: unknown, resolved: (value: unknown) => unknown, scope: Scope) => unknown

/**
 * Replaces every intrinsic function in a template value by its value.
 *
 * An object is an intrinsic when its only key is `Ref`, `Condition` or starts with `Fn::` (CloudFormation User Guide,
 * "Intrinsic function reference"). An intrinsic that is not listed below is refused by its name.
 */
export const resolve = (value: unknown, scope: Scope): unknown => {
  if (Array.isArray(value)) return value.map(item => resolve(item, scope))
  if (!isObject(value)) return value

  const [name, ...others] = Object.keys(value)
  const isIntrinsic = name !== undefined && others.length === 0 && /^(Ref|Fn::.*)$/.test(name)
  if (!isIntrinsic) {
    const entries = Object.entries(value).map(([key, item]) => [key, resolve(item, scope)] as const)
    return Object.fromEntries(entries)
  }

  const intrinsic = intrinsics[name]
  if (!intrinsic) throw unsupported(name, 'this intrinsic function is not known')
  return intrinsic(value[name], inner => resolve(inner, scope), scope)
}

/** Decides a condition of the template's `Conditions` section. */
export const decide = (value: unknown, scope: Scope): boolean => {
  if (isObject(value) && typeof value['Condition'] === 'string') return scope.condition(value['Condition'])
  const decided = resolve(value, scope)
  if (typeof decided !== 'boolean')
    throw unsupported(JSON.stringify(value), 'this condition is not a boolean')
  return decided
}

const intrinsics: Readonly<Record<string, Intrinsic>> = {
  Ref: (argument, _resolved, scope) => scope.ref(text('Ref', argument)),

  'Fn::GetAtt': (argument, _resolved, scope) => {
    const [logicalId, attribute] =
      typeof argument === 'string' ? splitOnce(argument, '.') : list('Fn::GetAtt', argument)
    return scope.getAtt(text('Fn::GetAtt', logicalId), text('Fn::GetAtt', attribute))
  },

  'Fn::Join': (argument, resolved) => {
    const [delimiter, parts] = list('Fn::Join', resolved(argument))
    return list('Fn::Join', parts)
      .map(part => text('Fn::Join', part))
      .join(text('Fn::Join', delimiter))
  },

  'Fn::Sub': (argument, resolved, scope) => {
    const [template, variables = {}] = Array.isArray(argument) ? argument : [argument]
    const values = resolved(variables)
    if (!isObject(values)) throw unsupported('Fn::Sub', 'its variables are not an object')
    return text('Fn::Sub', template).replace(/\$\{(!?)([^}]*)\}/g, (_all, literal: string, name: string) => {
      if (literal) return `\${${name}}`
      if (name in values) return text('Fn::Sub', values[name])
      const [logicalId, attribute] = splitOnce(name, '.')
      return text('Fn::Sub', attribute === undefined ? scope.ref(name) : scope.getAtt(logicalId, attribute))
    })
  },

  'Fn::Select': (argument, resolved) => {
    const [index, items] = list('Fn::Select', resolved(argument))
    const item = list('Fn::Select', items)[Number(index)]
    if (item === undefined) throw unsupported('Fn::Select', `there is no item ${String(index)}`)
    return item
  },

  'Fn::Split': (argument, resolved) => {
    const [delimiter, source] = list('Fn::Split', resolved(argument))
    return text('Fn::Split', source).split(text('Fn::Split', delimiter))
  },

  'Fn::Equals': (argument, resolved) => {
    const [left, right] = list('Fn::Equals', resolved(argument))
    return left === right
  },
  'Fn::Or': (argument, _resolved, scope) => list('Fn::Or', argument).some(item => decide(item, scope)),
}

const list = (intrinsic: string, value: unknown): readonly unknown[] => {
  if (!Array.isArray(value)) throw unsupported(intrinsic, 'its argument is not a list')
  return value
}

const text = (intrinsic: string, value: unknown): string => {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw unsupported(intrinsic, `${JSON.stringify(value) ?? String(value)} is not text`)
}

const splitOnce = (source: string, delimiter: string): [string, string?] => {
  const at = source.indexOf(delimiter)
  return at < 0 ? [source] : [source.slice(0, at), source.slice(at + delimiter.length)]
}
