import * as z from 'zod'
import { isContainer, isObject } from '../../json/json-value.ts'

type Path = readonly PropertyKey[]
type Problem = Pick<z.core.$ZodIssue, 'message' | 'path'>

/** What is wrong, in words: a key that is missing says what it is, and a value that may be of several kinds what its own kind lacks. */
export const sayProblems = (
  issues: readonly z.core.$ZodIssue[],
  schema: z.core.$ZodType,
  input: unknown,
): Problem[] => issues.flatMap(issue => sayProblem(issue, schema, input))

const sayProblem = (issue: z.core.$ZodIssue, schema: z.core.$ZodType, input: unknown): Problem[] => {
  const { path, message } = issue
  // Schemas with a sentence of their own know more
  if (!message.startsWith('Invalid ')) return [issue]
  const key = path.at(-1)
  if (key !== undefined && (valueAt(input, path) ?? undefined) === undefined) {
    const meaning = meaningOf(schema, path, input)
    return [
      { path, message: `"${String(key)}" is missing${meaning === undefined ? '' : ` (${plain(meaning)})`}` },
    ]
  }
  if (issue.code !== 'invalid_union') return [issue]
  const ofItsKind = issue.errors.filter(errors => errors.every(error => error.path.length > 0))
  const [only, ...others] = ofItsKind
  return only === undefined || others.length > 0
    ? [issue]
    : only.flatMap(inner => sayProblem({ ...inner, path: [...path, ...inner.path] }, schema, input))
}

/** Its first sentence, within one. */
const plain = (meaning: string): string => {
  const [sentence = ''] = meaning.split(/[.;](?: |$)|, see /)
  return sentence.charAt(0).toLowerCase() + sentence.slice(1)
}

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((found, key) => (isContainer(found) ? Reflect.get(found, key) : undefined), value)

/** What the reference says of the key at a path; of a union the kind that the input is of. */
const meaningOf = (schema: z.core.$ZodType, path: Path, input: unknown): string | undefined => {
  const { def } = (schema as z.core.$ZodTypes)._zod
  const [key, ...rest] = path
  if (def.type === 'pipe') return meaningOf(isStep(def.in) ? def.out : def.in, path, input)
  if (def.type === 'optional') return meaningOf(def.innerType, path, input)
  if (def.type === 'union')
    return def.options
      .filter(option => !isOtherKind(option, input))
      .map(option => meaningOf(option, path, input))
      .find(meaning => meaning !== undefined)
  if (key === undefined) return undefined
  const inside = isContainer(input) ? Reflect.get(input, key) : undefined
  if (def.type === 'array') return meaningOf(def.element, rest, inside)
  if (def.type === 'record') return meaningOf(def.valueType, rest, inside)
  const child = def.type === 'object' ? def.shape[String(key)] : undefined
  if (child === undefined) return undefined
  return rest.length > 0 ? meaningOf(child, rest, inside) : z.globalRegistry.get(child)?.description
}

const isStep = (schema: z.core.$ZodType): boolean => schema._zod.def.type === 'transform'

const isOtherKind = (schema: z.core.$ZodType, input: unknown): boolean =>
  schema instanceof z.ZodObject &&
  ['method', 'type'].some(key => {
    const kind: unknown = schema.shape[key]
    const given: unknown = isObject(input) ? input[key] : undefined
    return kind instanceof z.ZodLiteral && !kind.values.has(given as string) // of any type, it is not among them
  })
