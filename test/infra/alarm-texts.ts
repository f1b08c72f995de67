import type { Template } from 'aws-cdk-lib/assertions'
import { resourcesOf } from './resources-of.ts'

/** What an alarm says, by its logical id. Names that only the account knows are QUEUE, FUNCTION and RULE. */
export const alarmTexts = (template: Template): [id: string, text: string][] =>
  resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([id, { Properties }]) => {
    const described = Properties['AlarmDescription']
    return [id, typeof described === 'string' ? described : joined(template, described)]
  })

const joined = (template: Template, described: unknown): string => {
  const { 'Fn::Join': parts } = described as { 'Fn::Join': [string, unknown[]] } // How CDK writes a text with references.
  return parts[1].map(part => (typeof part === 'string' ? part : nameOf(template, part))).join('')
}

const kinds: Readonly<Record<string, string>> = {
  'AWS::Lambda::Function': 'FUNCTION',
  'AWS::SQS::Queue': 'QUEUE',
  'AWS::Events::Rule': 'RULE',
}

const nameOf = (template: Template, reference: unknown): string => {
  const { Ref: id = '', 'Fn::GetAtt': attribute } = reference as {
    Ref?: string
    'Fn::GetAtt'?: [string, string]
  }
  const { Type } = template.toJSON()['Resources'][attribute?.[0] ?? id]
  return kinds[Type] ?? `(${Type})`
}
