import { resourcesOf } from '../../infra/resources-of.ts'
import { synthesiseStack } from '../../support/synthesise-stack.ts'

interface State {
  Type: string
  Next?: string
  Default?: string
  Choices?: { Next: string }[]
  Catch?: { Next: string }[]
  ItemProcessor?: Machine
}

interface Machine {
  StartAt: string
  States: Record<string, State>
}

const MACHINE = /<!-- machine: (\w+) -->[\s\S]*?<!-- end of the machine -->/g

const LONGEST_LINE = 100

/** The page with its state machines as the template defines them. */
export const withMachines = (page: string): string =>
  page.replace(MACHINE, (_, machine: string) =>
    [
      `<!-- machine: ${machine} -->`,
      '```text',
      ...linesOf(definitionOf(machine)),
      '```',
      '<!-- end of the machine -->',
    ].join('\n'),
  )

let definitions: Map<string, Machine> | undefined

/** A state machine by the beginning of its name in the template, which is synthesised once, when a page first asks. */
const definitionOf = (machine: string): Machine => {
  definitions ??= new Map(
    resourcesOf(synthesiseStack(), 'AWS::StepFunctions::StateMachine').map(([id, { Properties }]) => {
      // CDK joins the definition from texts and references.
      const { 'Fn::Join': joined } = Properties['DefinitionString'] as { 'Fn::Join': [string, unknown[]] }
      const text = joined[1].map(part => (typeof part === 'string' ? part : 'x')).join('')
      return [id.replace(/[0-9A-F]{8}$/, ''), JSON.parse(text)]
    }),
  )
  const found = definitions.get(machine)
  if (found === undefined)
    throw new Error(`The template has no machine ${machine}, but ${[...definitions.keys()].join(', ')}`)
  return found
}

/** A line for each state that does something or waits, with the states that may follow; the failures come last. */
const linesOf = (machine: Machine, indent = ''): string[] => {
  const { States } = machine
  const names = reachable(machine)
  const isShown = shownOf(machine)
  const follow = (name: string): string[] => [
    ...new Set(nextOf(States[name]).flatMap(next => (isShown(next) ? [next] : follow(next)))),
  ]
  const failures = (name: string): string[] =>
    caughtBy(States[name]).flatMap(other => (isShown(other) ? [other] : follow(other)))
  const usual = mostFrequent(names.flatMap(failures))

  const shown = names.filter(name => isShown(name) && !isEnd(States[name]))
  const width = Math.max(USUAL_FAILURE.length, ...shown.map(name => titleOf(name, States).length)) + 2
  const line = (title: string, text: string): string[] => wrapped(`${indent}${title.padEnd(width)}`, text)
  return [
    ...shown.flatMap(name => {
      const next = follow(name).toSorted()
      const others = failures(name).filter(other => other !== usual && !next.includes(other))
      const within = States[name]?.ItemProcessor
      return [
        ...line(
          titleOf(name, States),
          [
            next.map(other => marked(other, States)).join(' | '),
            ...(others.length === 0 ? [] : [`or, failed, ${others.join(', ')}`]),
          ].join('; '),
        ),
        ...(within === undefined || isOneStep(within) ? [] : linesOf(within, `${indent}  `)),
      ]
    }),
    ...(usual === undefined ? [] : line(USUAL_FAILURE, usual)),
  ]
}

/** Comes last: where the failure of a step leads that has no other way. */
const USUAL_FAILURE = 'a failure'

/** Choices that more states than this lead to are shown themselves. */
const MANY = 3

/** What is not shown is a choice with one or two ways in, and a state that only rewrites its input. */
const shownOf = ({ States }: Machine): ((name: string) => boolean) => {
  const led = Object.values(States).flatMap(nextOf)
  return name => {
    const { Type, Next } = States[name] ?? {}
    if (Type === 'Choice') return led.filter(next => next === name).length > MANY
    return Type !== 'Pass' || Next === undefined
  }
}

const caughtBy = (state: State | undefined): string[] => (state?.Catch ?? []).map(({ Next }) => Next)

const nextOf = (state: State | undefined): string[] => [
  ...new Set(
    [state?.Next, state?.Default, ...(state?.Choices ?? []).map(({ Next }) => Next)].filter(
      name => name !== undefined,
    ),
  ),
]

const isEnd = (state: State | undefined): boolean => nextOf(state).length === 0

/** An end is marked: with a cross where the execution has failed. */
const marked = (name: string, states: Record<string, State>): string => {
  if (!isEnd(states[name])) return name
  return states[name]?.Type === 'Fail' ? `${name} ✗` : `${name} ✓`
}

const isOneStep = ({ States }: Machine): boolean => Object.keys(States).length === 1

/** A Map is named with the step that it takes side by side. */
const titleOf = (name: string, states: Record<string, State>): string => {
  const within = states[name]?.ItemProcessor
  return within !== undefined && isOneStep(within) ? `${name} (${within.StartAt}…)` : name
}

const mostFrequent = (names: readonly string[]): string | undefined =>
  names.toSorted((one, other) => count(names, other) - count(names, one))[0]

const count = (names: readonly string[], name: string): number => names.filter(one => one === name).length

/** The states in the order in which a walk comes to them; those of a failure after all others. */
const reachable = ({ StartAt, States }: Machine): string[] => {
  const reached = new Set<string>()
  const failures: string[] = []
  const visit = (name: string): void => {
    if (reached.has(name)) return
    reached.add(name)
    failures.push(...caughtBy(States[name]))
    nextOf(States[name]).forEach(visit)
  }
  visit(StartAt)
  // The list grows while it is walked.
  for (const failure of failures) visit(failure)
  return [...reached]
}

const wrapped = (head: string, text: string): string[] => {
  const lines = [head]
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    const isFirst = last.length <= head.length
    if (isFirst || last.length + 1 + word.length <= LONGEST_LINE)
      lines[lines.length - 1] = isFirst ? last + word : `${last} ${word}`
    else lines.push(''.padEnd(head.length) + word)
  }
  return lines
}
