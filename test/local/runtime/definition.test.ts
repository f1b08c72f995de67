import { describe, expect, it } from 'vitest'
import { readDefinition } from '#local/runtime/executions/definition.ts'
import { isKnownTask } from '#local/runtime/executions/task-resources.ts'

const read = (definition: object) => readDefinition(JSON.stringify(definition), 'Machine', isKnownTask)
const withState = (state: object) => ({ StartAt: 'A', States: { A: { End: true, ...state } } })
const task = { Type: 'Task', Resource: 'arn:aws:lambda:us-east-1:000000000000:function:f' }
const inner = { StartAt: 'B', States: { B: { Type: 'Pass', End: true } } }

describe('readDefinition', () => {
  it.each<[string, object, string]>([
    ['JSONata', { ...withState(task), QueryLanguage: 'JSONata' }, 'QueryLanguage'],
    ['JSONata in a state', withState({ ...task, QueryLanguage: 'JSONata' }), 'QueryLanguage'],
    ['Assign', withState({ ...task, Assign: { x: 1 } }), 'Assign'],
    ['Arguments', withState({ ...task, Arguments: {} }), 'Arguments'],
    ['HeartbeatSeconds', withState({ ...task, HeartbeatSeconds: 5 }), 'HeartbeatSeconds'],
    ['ItemReader', withState({ Type: 'Map', ItemProcessor: inner, ItemReader: {} }), 'ItemReader'],
    ['ItemBatcher', withState({ Type: 'Map', ItemProcessor: inner, ItemBatcher: {} }), 'ItemBatcher'],
    ['ResultWriter', withState({ Type: 'Map', ItemProcessor: inner, ResultWriter: {} }), 'ResultWriter'],
    [
      'ToleratedFailurePercentage',
      withState({ Type: 'Map', ItemProcessor: inner, ToleratedFailurePercentage: 5 }),
      'ToleratedFailurePercentage',
    ],
    ['an unknown state type', withState({ Type: 'Loop' }), 'Type'],
    ['an unknown service', withState({ ...task, Resource: 'arn:aws:states:::sns:publish' }), 'sns:publish'],
    [
      'waiting for a token',
      withState({ ...task, Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken' }),
      'waitForTaskToken',
    ],
    ['a falsy Pass result', withState({ Type: 'Pass', Result: 0 }), 'Result'],
    [
      'an unknown context path',
      withState({ ...task, Parameters: { 'a.$': '$$.Task.Token' } }),
      '$$.Task.Token',
    ],
    ['a path to several values', withState({ ...task, InputPath: '$.items[*].id' }), 'one value only'],
    [
      'an intrinsic function that loses backslashes',
      withState({ ...task, Parameters: { 'a.$': "States.Format('{}', $.a)" } }),
      'States.Format',
    ],
    ['a result path into a list', withState({ ...task, ResultPath: '$.a[0]' }), 'ResultPath'],
    [
      'a name used twice',
      {
        StartAt: 'M',
        States: {
          M: {
            Type: 'Map',
            End: true,
            ItemProcessor: { StartAt: 'M', States: { M: { Type: 'Pass', End: true } } },
          },
        },
      },
      'used twice',
    ],
  ])('refuses %s by name', (_case, definition, message) => {
    expect(() => read(definition)).toThrow(message)
  })

  it('accepts a machine of every state type', () => {
    const definition = {
      Comment: 'all of them',
      StartAt: 'Task',
      TimeoutSeconds: 60,
      States: {
        Task: {
          ...task,
          Parameters: { 'id.$': '$$.Execution.Id', 'input.$': '$' },
          ResultPath: '$.result',
          TimeoutSeconds: 5,
          Retry: [
            { ErrorEquals: ['TransientError'], MaxAttempts: 2, BackoffRate: 2, JitterStrategy: 'FULL' },
          ],
          Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Failed', ResultPath: '$.failure' }],
          Next: 'Wait',
        },
        Wait: { Type: 'Wait', SecondsPath: '$.seconds', Next: 'Map' },
        Map: { Type: 'Map', ItemsPath: '$.items', ItemProcessor: inner, Next: 'Parallel' },
        Parallel: {
          Type: 'Parallel',
          Branches: [{ StartAt: 'C', States: { C: { Type: 'Succeed' } } }],
          Next: 'Choice',
        },
        Choice: {
          Type: 'Choice',
          Choices: [{ Variable: '$.ok', BooleanEquals: true, Next: 'Done' }],
          Default: 'Failed',
        },
        Done: { Type: 'Succeed' },
        Failed: { Type: 'Fail', Error: 'X', CausePath: '$.failure.Cause' },
      },
    }
    expect([...read(definition).tasks]).toEqual([['Task', task.Resource]])
  })
})
