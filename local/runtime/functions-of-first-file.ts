import { lambdaFunction } from './resources/function.ts'
import { rule } from './resources/rule.ts'
import { stateMachine } from './resources/state-machine.ts'
import type { Stack } from './template/stack.ts'

/**
 * The functions that the first file needs: those of the state machines that a rule starts or that the API's function
 * knows by ARN.
 *
 * Only these are loaded in advance: a container takes about 45 MB.
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

  const definitions = stack
    .ofType(stateMachine)
    .filter(({ arn }) => machines.has(arn))
    .map(({ properties }) => properties.DefinitionString)
  const arns = stack.ofType(lambdaFunction).map(({ arn }) => arn)
  return new Set(arns.filter(arn => definitions.some(definition => definition.includes(`"${arn}"`))))
}
