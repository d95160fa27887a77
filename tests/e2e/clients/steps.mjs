// The steps that both TypeScript clients take. Prints what each came to as JSON: true, or what went wrong.

export const job = JSON.parse(process.argv[2]);

export async function walk(client, call) {
  const told = { version: null, steps: {} };
  const step = async (name, work) => {
    try {
      told.steps[name] = (await work()) === false ? "the answer is wrong" : true;
    } catch (fault) {
      told.steps[name] = String(fault?.message ?? fault);
    }
  };
  await step("tools", async () => (await client.listTools()).tools.some((tool) => tool.name === "ax_click"));
  await step("call", async () => {
    const answer = await call({ name: "ax_click", arguments: { app: job.app, query: "role:button Count" } });
    return !answer.isError && answer.structuredContent.effect !== undefined;
  });
  await step("error", async () => (await call({ name: "ax_click", arguments: { app: job.app } })).isError === true);
  await step("resources", async () => (await client.listResources()).resources.length > 0);
  await step("templates", async () => (await client.listResourceTemplates()).resourceTemplates.length > 0);
  await step("read", async () => (await client.readResource({ uri: "handeye://apps" })).contents[0].text.includes(job.app));
  await step("prompts", async () => (await client.listPrompts()).prompts.length > 0);
  await step("prompt", async () => {
    const prompt = await client.getPrompt({ name: "debug-ui", arguments: { app_name: job.app, element_description: "Count" } });
    return prompt.messages.length > 0;
  });
  await step("completion", async () => {
    const asked = { ref: { type: "ref/prompt", name: "debug-ui" }, argument: { name: "app_name", value: "fix" } };
    // One that answers at once suggests what it knows; with an application that hangs, it may know later.
    for (let look = 0; look < 40; look += 1) {
      if ((await client.complete(asked)).completion.values.length > 0) return true;
      await new Promise((done) => setTimeout(done, 250));
    }
    return false;
  });
  await step("progress", async () => {
    let heard = 0;
    await call({ name: "image", arguments: { app_target: job.app_target, path: job.folder, question: "?" } }, { onprogress: () => (heard += 1) });
    return heard > 0;
  });
  await step("cancel", async () => {
    const stop = new AbortController();
    const waiting = call({ name: "ax_wait_idle", arguments: { app: job.busy, timeout_ms: 20000 } }, { signal: stop.signal });
    setTimeout(() => stop.abort("enough"), 300);
    return waiting.then(() => false, () => true);
  });
  await step("after", async () => (await client.listTools()).tools.length > 0);
  return told;
}

export async function finish(client, told) {
  console.log(JSON.stringify(told));
  await client.close();
  process.exit(0);
}
