import { StateMachine as Interpreter, type StateMachineDefinition } from 'aws-local-stepfunctions'
import pMap from 'p-map'
import type { HistoryEvent } from './history.ts'
import { longestSeconds } from './state-schema.ts'

/** A distributed Map: what gives its children their inputs, and what each child does. */
export interface ChildMap {
  readonly inputs: StateMachineDefinition
  readonly child: StateMachineDefinition
  readonly maxConcurrency: number
}

type State = Readonly<Record<string, unknown>>

// The interpreter's own, for any Map.
const DEFAULT_CONCURRENCY = 40

/** @param map as the interpreter would run it, with the machine of its children as `ItemProcessor` */
export const asChildMap = (map: State): ChildMap => {
  const { ItemsPath, ItemSelector, Parameters, MaxConcurrency, ItemProcessor } = map
  const item = { StartAt: 'Item', States: { Item: { Type: 'Pass', End: true } } }
  const inputs = { Type: 'Map', ItemsPath, ItemSelector, Parameters, ItemProcessor: item, End: true }
  return {
    // The schema has read every field.
    inputs: {
      StartAt: 'Inputs',
      States: { Inputs: withoutUndefined(inputs) },
    } as unknown as StateMachineDefinition,
    child: ItemProcessor as StateMachineDefinition,
    maxConcurrency: Number(MaxConcurrency) || DEFAULT_CONCURRENCY,
  }
}

/** To the interpreter, what its children do is one task: its own Map gives each error of a child on as that of the Map. */
export const mapAsTask = ({
  ItemsPath: _items,
  ItemSelector: _selector,
  Parameters: _parameters,
  MaxConcurrency: _concurrency,
  ItemProcessor: _processor,
  Label: _label,
  ...map
}: State): State => ({ ...map, Type: 'Task', Resource: 'children', TimeoutSeconds: longestSeconds })

const withoutUndefined = (fields: State): State =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** Of the interpreter. */
export type RunOptions = NonNullable<Parameters<Interpreter['run']>[1]>

/**
 * Runs the children. Resolves to their outputs.
 *
 * Developer Guide, "Tolerated failure threshold": a child that fails for whatever reason, also one that it could not catch itself, ends
 * the others, and fails the Map with an error of its own.
 */
export const runChildren = async (
  { inputs, child, maxConcurrency }: ChildMap,
  input: unknown,
  { name, options, signal, onEvent }: RunChildrenOptions,
): Promise<unknown[]> => {
  const given: unknown = await machineOf(inputs)
    .run(input as never, options) // Values that have been through JSON.
    .result.catch((error: unknown) => {
      throw error instanceof Error && error.cause ? error.cause : error
    })
  const failed = new AbortController()
  const over = AbortSignal.any([signal, failed.signal])
  const runChild = async (childInput: unknown, index: number): Promise<unknown> => {
    const run = machineOf(child).run(childInput as never, options)
    over.addEventListener('abort', run.abort)
    if (over.aborted) run.abort()
    void forward(run.eventLogs, event => onEvent(ofChild(event, { name, index })))
    try {
      return await run.result
    } catch (cause) {
      failed.abort()
      throw Object.assign(new Error('The specified tolerated failure threshold was exceeded', { cause }), {
        name: 'States.ExceedToleratedFailureThreshold',
      })
    } finally {
      over.removeEventListener('abort', run.abort)
    }
  }
  return pMap(given as unknown[], runChild, { concurrency: maxConcurrency }) // A Map of the interpreter gives a list.
}

interface RunChildrenOptions {
  /** Of the Map. */
  readonly name: string
  readonly options: RunOptions
  /** Ends all children. */
  readonly signal: AbortSignal
  /** Called with what happens in a child, as the interpreter says it of the iteration of a Map. */
  readonly onEvent: (event: HistoryEvent) => void
}

const machineOf = (definition: StateMachineDefinition): Interpreter =>
  new Interpreter(definition, { validationOptions: { noValidate: true } })

const forward = async <Event>(
  events: AsyncIterable<Event>,
  onEvent: (event: Event) => void,
): Promise<void> => {
  for await (const event of events) onEvent(event)
}

const ofChild = (event: HistoryEvent, { name, index }: { name: string; index: number }): HistoryEvent =>
  event.type.startsWith('Execution')
    ? { type: event.type.replace('Execution', 'MapIteration'), parentState: { name }, index }
    : { ...event, index }
