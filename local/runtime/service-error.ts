/** An error that a service's API reports by name, as the AWS SDK rethrows it. */
export class ServiceError extends Error {
  override readonly name: string
  readonly status: number

  constructor(name: string, message: string, status = 400) {
    super(message)
    this.name = name
    this.status = status
  }
}
