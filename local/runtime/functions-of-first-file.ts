import { z } from 'zod'
import { lambdaFunction, stateMachine } from './resources/compute.ts'
import { rule } from './resources/events.ts'
import type { Stack } from './template/stack.ts'

/**
 * The functions that the first file needs: of the state machines that a rule starts or that the API's function knows by ARN, those
 * on the usual way from the start. Not on it is what comes after a failure, inside a Map, or behind a later branch of a Choice.
 *
 * Only these are loaded in advance: a container takes about 25 MB.
 */
export const functionsOfFirstFile = (
  stack: Stack,
  apiFunctionArn: string | undefined,
): ReadonlySet<string> => {
  const startedByRules = stack
    .ofType(rule)
    .flatMap(({ properties }) => properties.Targets.map(({ Arn }) => Arn))
  const apiFunction = stack.ofType(lambdaFunction).find(({ arn }) => arn === apiFunctionArn)
  const knownToApi = Object.values(apiFunction?.properties.Environment?.Variables ?? {})
  const machines = new Set([...startedByRules, ...knownToApi])

  const onTheWay = stack
    .ofType(stateMachine)
    .filter(({ arn }) => machines.has(arn))
    .flatMap(({ properties }) => resourcesOnTheWay(properties.DefinitionString))
  const functions = stack.ofType(lambdaFunction).map(({ arn }) => arn)
  return new Set(functions.filter(arn => onTheWay.some(resource => resource.includes(`"${arn}"`))))
}

const definitionSchema = z.object({
  StartAt: z.string(),
  States: z.record(
    z.string(),
    z.looseObject({
      Type: z.string(),
      Next: z.string().optional(),
      Choices: z.array(z.object({ Next: z.string() })).optional(),
    }),
  ),
})

/** Tasks as JSON, from the start by the next state and the first branch of each Choice. */
const resourcesOnTheWay = (definition: string): string[] => {
  const { StartAt, States } = definitionSchema.parse(JSON.parse(definition))
  const seen = new Set<string>()
  const tasks: string[] = []
  const follow = (name: string | undefined): void => {
    const state = name === undefined || seen.has(name) ? undefined : States[name]
    if (name === undefined || state === undefined) return
    seen.add(name)
    if (state.Type === 'Task') tasks.push(JSON.stringify(state))
    follow(state.Next)
    follow(state.Choices?.[0]?.Next)
  }
  follow(StartAt)
  return tasks
}
