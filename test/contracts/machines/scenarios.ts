import { randomFrom } from '#support/random.ts'

/** What a call of a state's task gives. */
export type Answer = { readonly result: unknown } | { readonly error: string }

/** A machine, and what happens to one execution of it. */
export interface Scenario {
  readonly definition: string
  readonly input: unknown
  /** By the names of states, call by call; then the error `Made.Up`. */
  readonly answers: Readonly<Record<string, readonly Answer[]>>
}

const MOST_ANSWERS = 12
const MOST_REPEATS = 10
/** One of so many values is not there that a machine asks for by `IsPresent`. */
const MISSING = 3
/** Whatever a child of a Map may read. */
const ITEM = { from: 1, to: 2, versionId: 'v' }

/**
 * Executions of a machine whose tasks succeed and fail at random, with the errors that its states name, and give at random what its
 * states look at. One child of a Map runs at a time, so that the order of all steps is known; where a child may fail there is one, since
 * an interpreter may have begun the next.
 */
export const randomScenarios = (machine: unknown, count: number, seed: number): Scenario[] => {
  const random = randomFrom(seed)
  const oneOf = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T // None is empty.
  const { tasks, values, asked, errors } = readMachine(machine)
  const definition = JSON.stringify(machine, (key, value) => {
    if (key === 'ProcessorConfig') return { Mode: 'INLINE' } // Moto loses what the children of a distributed Map give.
    return key === 'MaxConcurrency' ? 1 : value
  })
  return Array.from({ length: count }, () => {
    const lists = oneOf([
      [[], [ITEM]],
      [[ITEM], [ITEM, ITEM]],
    ])
    const mayChildFail = lists[0]?.length === 0
    /** An object with a value at each path below `root`. */
    const objectAt = (root: string): unknown => {
      const object = {}
      for (const [path, candidates] of values)
        if (path.startsWith(`${root}.`) && !(asked.has(path) && random() < 1 / MISSING))
          setAt(
            object,
            path.slice(root.length + 1).split('.'),
            oneOf(candidates === LISTS ? lists : candidates),
          )
      return object
    }
    const answersOf = ({ result, isChild }: Task): Answer[] =>
      Array.from({ length: Math.ceil(random() * MOST_ANSWERS) }, (): Answer[] =>
        (isChild && !mayChildFail) || random() < 0.6
          ? [{ result: objectAt(result ?? '$') }]
          : Array(Math.ceil(random() * MOST_REPEATS)).fill({ error: oneOf([...errors]) }),
      ).flat()
    const answers = Object.fromEntries([...tasks].map(([name, task]) => [name, answersOf(task)]))
    return { definition, input: objectAt('$'), answers }
  })
}

type Fields = Readonly<Record<string, unknown>>
type Task = { readonly result: string | null; readonly isChild: boolean }

const LISTS: readonly unknown[] = []

/** Its tasks, the values that may lie at a path, the paths that it asks for by `IsPresent`, and the errors that it names. */
const readMachine = (machine: unknown) => {
  const tasks = new Map<string, Task>()
  const values = new Map<string, readonly unknown[]>()
  const asked = new Set<unknown>()
  const errors = new Set(['UserError', 'Made.Up'])
  const add = (path: unknown, candidates: readonly unknown[]): void => {
    if (typeof path !== 'string' || !/^\$(\.\w+)+$/.test(path)) return
    const known = values.get(path) ?? []
    // What is compared, and lists, count more than what is handed on.
    values.set(
      path,
      candidates === LISTS || known.length === 0
        ? candidates
        : known === LISTS
          ? known
          : [...known, ...candidates],
    )
  }
  const read = (node: unknown, isChild: boolean): void => {
    if (Array.isArray(node)) for (const each of node) read(each, isChild)
    else if (typeof node === 'object' && node !== null) readFields(node as Fields, isChild) // Of JSON.
  }
  const readFields = (fields: Fields, isChild: boolean): void => {
    for (const [name, state] of Object.entries((fields['States'] ?? {}) as Record<string, Fields>))
      if (state['Type'] === 'Task')
        tasks.set(name, { result: (state['ResultPath'] ?? '$') as string, isChild })
    if ('IsPresent' in fields) asked.add(fields['Variable'])
    for (const [key, value] of Object.entries(fields)) {
      if (key === 'ErrorEquals') for (const error of value as string[]) errors.add(error)
      else if (key === 'Variable') add(value, comparedWith(fields))
      else if (key === 'ItemsPath') add(value, LISTS)
      else if (key === 'SecondsPath') add(value, [0, 1])
      else if (/(\.\$|Path)$/.test(key) && key !== 'ResultPath') add(value, ['text', 'other'])
      read(value, isChild || key === 'ItemProcessor')
    }
  }
  read(machine, false)
  // Of the interpreter itself, which no function says.
  for (const error of errors) if (error.startsWith('States.')) errors.delete(error)
  return { tasks, values, asked, errors }
}

const comparedWith = (rule: Fields): readonly unknown[] =>
  Object.entries(rule).flatMap(([operator, operand]) => {
    if (operator.startsWith('String')) return [operand, 'other']
    if (operator.startsWith('Numeric')) return [Number(operand), Number(operand) + 1]
    return operator.startsWith('Boolean') ? [true, false] : []
  })

/** What lies on the way and is no object stays. */
const setAt = (
  object: Record<string, unknown>,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): void => {
  object[name] ??= rest.length === 0 ? value : {}
  const inner = object[name]
  if (rest.length > 0 && typeof inner === 'object') setAt(inner as Record<string, unknown>, rest, value)
}
