/** What a component says of its work, for the list of events. */
export interface ComponentEvent {
  component: string
  configurationId?: string
  message: string
  type: 'info' | 'success' | 'warn' | 'error'
  params?: Record<string, unknown>
}
