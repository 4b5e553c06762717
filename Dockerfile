# emend with its model, and nothing to build with: `docker build -t emend .`, see docs/deploy.md.
FROM node:24.20.0-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
# LangGraph is a peer and, to develop with, a dependency as well; `--omit=dev` would leave it out.
RUN npm run build && npm pkg delete devDependencies && npm prune --ignore-scripts
# ONNX Runtime brings its files for other systems, which nothing opens here.
RUN rm -r node_modules/onnxruntime-node/bin/napi-v3/darwin node_modules/onnxruntime-node/bin/napi-v3/win32

FROM node:24.20.0-trixie-slim
# For documents in Git repositories.
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates git && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production EMEND_STORE=/data/store
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY model model
# Documents are named by where they lie below /data: mount them at /data/docs and the store at /data/store.
RUN ln -s /app/dist/cli/main.js /usr/local/bin/emend && install -d -o 1000 -g 1000 /data /data/docs /data/store
USER 1000:1000
WORKDIR /data
VOLUME /data/store
EXPOSE 8787
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8787/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["emend"]
# Ends with a line that says so unless EMEND_TOKENS names who may ask.
CMD ["serve", "--host", "0.0.0.0"]
