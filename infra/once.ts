import { Stack } from 'aws-cdk-lib'
import type { Construct } from 'constructs'

/** What a stack has once: made under this id when a part of the stack first asks for it. */
export const once = <Made extends Construct>(
  part: Construct,
  id: string,
  make: (stack: Stack, id: string) => Made,
): Made => {
  const stack = Stack.of(part)
  return (stack.node.tryFindChild(id) as Made | undefined) ?? make(stack, id) // It was made here.
}
