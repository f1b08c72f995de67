import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { type IChainable, JsonPath, Map as MapState } from 'aws-cdk-lib/aws-stepfunctions'
import type { Construct } from 'constructs'
import { catchAll } from './failure-path.ts'
import { functionStep } from './function-step.ts'

interface ForEachItemProps {
  readonly name: string
  /** Name of the state of one item. */
  readonly each: string
  /** Path of the numbers. */
  readonly items: string
  readonly itemsAtOnce: number
  /** What the state of each item begins with, beside `item`. */
  readonly shared: Readonly<Record<string, unknown>>
  readonly runs: IFunction
  /** The function's event, with values from the item's state. It gets `item` too. */
  readonly event: Readonly<Record<string, unknown>>
  readonly failed: IChainable
}

/** Runs a function for each of some numbers, side by side. Results are left where the function puts them. */
export const forEachItem = (scope: Construct, props: ForEachItemProps): MapState => {
  const { name, each, items, itemsAtOnce, shared, runs, event, failed } = props
  const map = new MapState(scope, name, {
    itemsPath: items,
    itemSelector: { ...shared, item: JsonPath.numberAt('$$.Map.Item.Value') },
    maxConcurrency: itemsAtOnce,
    resultPath: JsonPath.DISCARD,
  }).itemProcessor(
    functionStep(scope, each, {
      runs,
      event: { ...event, item: JsonPath.numberAt('$.item') },
      resultPath: JsonPath.DISCARD,
    }),
  )
  catchAll(map, failed)
  return map
}
