import { z } from 'zod'
import { arn, resourceType, tags, withoutMeaningHere } from './resource-type.ts'

export const stateMachine = resourceType({
  type: 'AWS::StepFunctions::StateMachine',
  properties: z.strictObject({
    StateMachineName: z.string().optional(),
    StateMachineType: z.literal('STANDARD').optional(),
    DefinitionString: z.string(),
    RoleArn: z.string(),
    LoggingConfiguration: withoutMeaningHere('the record of each execution is a file in the data directory'),
    TracingConfiguration: withoutMeaningHere('there is no X-Ray daemon'),
    EncryptionConfiguration: withoutMeaningHere('records rest in the data directory'),
    Tags: tags,
  }),
  nameProperty: 'StateMachineName',
  ref: ({ name }) => arn('states', `stateMachine:${name}`),
  attributes: {
    Arn: ({ name }) => arn('states', `stateMachine:${name}`),
    Name: ({ name }) => name,
  },
})
