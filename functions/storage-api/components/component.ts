import type { Component } from '../../lib/wire/component-body.ts'

/** The component on the wire. */
export const componentResource = (component: Component, baseUrl: string) => ({
  ...component,
  uri: `${baseUrl}/v2/storage/components/${component.id}`,
})
