// What the calls of the table are made with. Nothing of it is ever run.
import type * as posthouse from "posthouse";

export interface Lamp {
  on: boolean;
}

declare global {
  const hub: posthouse.Hub;
  const variable: posthouse.Variable;
  const subscription: posthouse.Subscription;
  const watch: posthouse.Stop<unknown>;
  const context: posthouse.Context;
  const handleContext: posthouse.HandleContext;
  const headers: posthouse.Headers;
  const error: posthouse.PosthouseError;
  const reply: posthouse.Reply;
  const many: posthouse.ManyResult;
  const hubOptions: posthouse.HubOptions;
  const subscribeOptions: posthouse.SubscribeOptions;
  const publishOptions: posthouse.PublishOptions;
  const requestOptions: posthouse.RequestOptions;
  const requestManyOptions: posthouse.RequestManyOptions;
  const drainOptions: posthouse.DrainOptions;
  const signal: AbortSignal;
  const namespace: string;
  const name: string;
  const text: string;
  const entries: Record<string, string[]>;
  const data: posthouse.Json;
  const value: posthouse.Json;
  const fallback: null;
  const lamp: Lamp;
  const timeout: number;
  const callback: (state: unknown) => void;
  const handler: (data: unknown, context: posthouse.Context | posthouse.HandleContext) => unknown;
  const onLamp: (lamp: Lamp) => void;
}
