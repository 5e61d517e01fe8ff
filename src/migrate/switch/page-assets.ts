// Made by scripts/build-page.js of the files in browser/; a change is made there.
export const pageHtml: string = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<link rel="icon" href="data:," />
<title>Migration</title>
<style></style>
</head>
<body>
<a class="skip" href="#routes">Skip to the routes</a>
<header>
<h1>Migration</h1>
<p id="live" data-is="waiting">Connecting</p>
<p id="visitor"></p>
<p id="news" role="status" aria-live="polite"></p>
<p id="alarm" role="alert"></p>
</header>
<main>
<section aria-label="Summary">
<dl id="summary"></dl>
<div id="states" role="img"></div>
</section>
<section id="charts" aria-label="Charts"></section>
<section id="routes" aria-labelledby="routes-title" tabindex="-1">
<h2 id="routes-title">Routes</h2>
<form id="filters" role="search">
<label
>Filter
<input
id="filter"
type="search"
placeholder="path or method"
autocomplete="off"
spellcheck="false"
/></label>
<label
>State
<select id="by-state">
<option value="">all</option>
<option>legacy</option>
<option>shadow</option>
<option>canary</option>
<option>native</option>
</select></label
>
<label
>Show
<select id="by-kind">
<option value="">all</option>
<option value="differences">with differences</option>
<option value="failures">with 5xx</option>
<option value="dead">dead</option>
</select></label
>
<label
>Order
<select id="order">
<option value="list">of the list</option>
<option value="requests">most requests</option>
<option value="differences">most differences</option>
<option value="slow">slowest Controllers</option>
</select></label
>
<output id="count" for="filter by-state by-kind"></output>
<button type="button" id="change-many">Change a group</button>
</form>
<table role="table">
<thead role="rowgroup">
<tr role="row">
<th role="columnheader" scope="col">Route</th>
<th role="columnheader" scope="col">State</th>
<th role="columnheader" scope="col">Migrated</th>
<th role="columnheader" scope="col">Requests/s<small>legacy · native</small></th>
<th role="columnheader" scope="col">Legacy<small>p50 / p99 ms</small></th>
<th role="columnheader" scope="col">Native<small>p50 / p99 ms</small></th>
<th role="columnheader" scope="col">5xx<small>legacy · native</small></th>
<th role="columnheader" scope="col">Differences<small>open · of the last</small></th>
<th role="columnheader" scope="col">Last asked</th>
<th role="columnheader" scope="col"><span class="unseen">Change</span></th>
</tr>
</thead>
<tbody id="rows" role="rowgroup"></tbody>
</table>
<p id="none" hidden>No route is like that.</p>
<button type="button" id="more" hidden></button>
</section>
<section aria-labelledby="dead-title">
<h2 id="dead-title">Dead routes</h2>
<div id="dead"></div>
</section>
<section aria-labelledby="only-title">
<h2 id="only-title">Routes that no Controller has</h2>
<div id="only"></div>
</section>
<section aria-labelledby="history-title">
<h2 id="history-title">History</h2>
<ol id="history"></ol>
<button type="button" id="more-history" hidden></button>
</section>
</main>
<dialog id="dialog" aria-labelledby="dialog-title" aria-describedby="dialog-now">
<form id="change" method="dialog">
<h2 id="dialog-title"></h2>
<p id="dialog-now"></p>
<label id="group-label"
>Group
<select id="group"></select
></label>
<fieldset>
<legend>New state</legend>
<label
><input type="radio" name="state" value="legacy" required /> legacy
<small>the app as it was answers</small></label
>
<label
><input type="radio" name="state" value="shadow" /> shadow
<small>legacy answers, the Controller is compared</small></label
>
<label
><input type="radio" name="state" value="canary" /> canary
<input
id="percent"
type="number"
min="0"
max="100"
step="0.01"
value="5"
aria-label="Per cent of the clients"
/>
% <small>of the clients get the Controller</small></label
>
<label
><input type="radio" name="state" value="native" /> native
<small>the Controller answers</small></label
>
</fieldset>
<label>Reason <textarea id="reason" rows="2" maxlength="500" required></textarea></label>
<label><input id="sure" type="checkbox" required /> <span id="sure-text"></span></label>
<p id="problem" role="alert"></p>
<div class="buttons">
<button type="button" id="cancel">Cancel</button><button type="submit" id="confirm">Change</button>
</div>
</form>
</dialog>
<script></script>
</body>
</html>
`
export const pageStyle: string = `:root{color-scheme:light dark;--back: #fff;--card: #f6f7f9;--line: #d8dce3;--text: #1a1d23;--soft: #5a6270;--accent: #1d4ed8;--legacy: #64748b;--shadow: #7c3aed;--canary: #b45309;--native: #15803d;--bad: #b91c1c;--bad-back: #fef2f2;font:15px/1.45 system-ui,sans-serif}@media(prefers-color-scheme:dark){:root{--back: #111418;--card: #1a1f26;--line: #343c48;--text: #e6e9ee;--soft: #9aa4b2;--accent: #93b4ff;--legacy: #94a3b8;--shadow: #b79cff;--canary: #f0a747;--native: #4ade80;--bad: #fca5a5;--bad-back: #3b1618}}*{box-sizing:border-box}html{scroll-padding-top:5rem}body{margin:0 auto;max-width:1320px;padding:0 1.25rem 4rem;background:var(--back);color:var(--text)}[hidden]{display:none!important}.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;z-index:3;background:var(--back);padding:.4rem .8rem}.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}:focus-visible{outline:2px solid var(--accent);outline-offset:2px}header{position:sticky;top:0;z-index:2;display:flex;flex-wrap:wrap;align-items:baseline;gap:0 1rem;padding:.7rem 0 .5rem;background:var(--back);border-bottom:1px solid var(--line)}header p{margin:0;color:var(--soft)}h1{font-size:1.35rem;margin:0}h2{font-size:1.1rem;margin:2rem 0 .6rem}small{color:var(--soft);font-size:.8rem;font-weight:400}#live:before{content:"";display:inline-block;width:.6rem;height:.6rem;margin-right:.4rem;border-radius:50%;background:var(--canary)}#live[data-is=live]:before{background:var(--native)}#live[data-is=away]:before{background:var(--bad)}#visitor{margin-left:auto}#news,#alarm{flex-basis:100%;overflow-wrap:anywhere}#alarm:not(:empty){margin-top:.4rem;padding:.4rem .7rem;border-radius:.4rem;background:var(--bad-back);color:var(--bad)}#summary{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.7rem;margin:1rem 0 .8rem}#summary div{padding:.6rem .8rem;border:1px solid var(--line);border-radius:.6rem;background:var(--card);min-width:0}dt{color:var(--soft);font-size:.85rem}dd{margin:0;font-size:1.4rem;font-weight:650;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}dd small{display:block;font-size:.8rem}.bad{color:var(--bad)}#states{display:flex;height:.7rem;border-radius:.35rem;overflow:hidden;gap:2px}#states span{min-width:3px}.fill-legacy{background:var(--legacy)}.fill-shadow{background:var(--shadow)}.fill-canary{background:var(--canary)}.fill-native{background:var(--native)}#charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr));gap:1rem;margin-top:1rem}figure{margin:0;padding:.7rem .8rem .4rem;border:1px solid var(--line);border-radius:.6rem;min-width:0}figcaption{display:flex;flex-wrap:wrap;gap:0 1rem;font-size:.85rem}figcaption b{flex-basis:100%;font-size:.95rem}.key{color:var(--soft);font-variant-numeric:tabular-nums}.key:before{content:"";display:inline-block;width:.9rem;height:3px;margin-right:.35rem;vertical-align:middle;background:var(--ink)}.ink-legacy{--ink: var(--legacy)}.ink-native{--ink: var(--native)}.ink-share{--ink: var(--accent)}svg{display:block;width:100%;height:9rem;margin-top:.3rem;overflow:visible}svg text{fill:var(--soft);font-size:11px}svg .grid{stroke:var(--line)}svg .line{fill:none;stroke:var(--ink);stroke-width:2;stroke-linejoin:round}svg .area{fill:var(--ink);fill-opacity:.12}svg .at{stroke:var(--soft);stroke-dasharray:3 3}#filters{display:flex;flex-wrap:wrap;gap:.6rem 1rem;align-items:center;margin-bottom:.6rem}#filters label{display:flex;gap:.4rem;align-items:center;color:var(--soft)}#count{color:var(--soft);margin-right:auto}input,select,textarea,button{font:inherit;color:inherit}input[type=search],input[type=number],select,textarea{background:var(--back);border:1px solid var(--line);border-radius:.4rem;padding:.35rem .5rem;min-width:0;max-width:100%}button{background:var(--card);border:1px solid var(--line);border-radius:.4rem;padding:.35rem .8rem;cursor:pointer}button:hover{border-color:var(--accent)}button:disabled{opacity:.5;cursor:default}table{width:100%;border-collapse:collapse}th{text-align:left;font-size:.85rem;vertical-align:bottom;padding:.3rem .6rem;border-bottom:1px solid var(--line)}th small{display:block;white-space:nowrap}td{padding:.45rem .6rem;border-bottom:1px solid var(--line);font-variant-numeric:tabular-nums;vertical-align:top}.open{display:flex;gap:.5rem;align-items:baseline;text-align:left;background:none;border:0;padding:.1rem .2rem;font:14px ui-monospace,monospace;overflow-wrap:anywhere}td.wide{min-width:15rem}td>small{display:block}tr:not(.more)>td:last-child{text-align:right}.open:before{content:"\\25b8";color:var(--soft)}.open[aria-expanded=true]:before{content:"\\25be"}.open b{color:var(--soft);min-width:3.4rem}.badge{display:inline-block;border:1px solid;border-radius:1rem;padding:0 .6rem;white-space:nowrap;font-size:.85rem;font-weight:600}.is-legacy{color:var(--legacy)}.is-shadow{color:var(--shadow)}.is-canary{color:var(--canary)}.is-native{color:var(--native)}.bar{display:block;width:5rem;height:.35rem;margin-top:.25rem;border-radius:.2rem;background:var(--line);overflow:hidden}.bar span{display:block;height:100%;background:var(--native)}.more>td{background:var(--card);padding:.8rem 1rem 1rem}.facts{display:flex;flex-wrap:wrap;gap:.2rem 1.6rem;margin:0 0 .6rem;color:var(--soft)}.difference{margin:.6rem 0 0;padding:.6rem .8rem;background:var(--back);border:1px solid var(--line);border-radius:.5rem}.difference p{margin:0 0 .4rem;overflow-wrap:anywhere}.sides{display:grid;grid-template-columns:1fr 1fr;gap:.8rem}.sides>div{min-width:0;border-left:3px solid var(--ink);padding-left:.6rem}pre{margin:0;font:13px/1.4 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}ol,ul{margin:0;padding:0;list-style:none}#history li{display:grid;grid-template-columns:13.5rem minmax(0,1fr);gap:0 1rem;padding:.45rem 0;border-bottom:1px solid var(--line)}#history time,#history .why{color:var(--soft)}#history p{margin:0;overflow-wrap:anywhere}.list{display:flex;flex-wrap:wrap;gap:.3rem .6rem}.list li,code{font:13px ui-monospace,monospace;overflow-wrap:anywhere}.list li{border:1px solid var(--line);border-radius:.4rem;padding:.1rem .5rem}dialog{width:min(34rem,calc(100vw - 1.5rem));max-height:calc(100dvh - 1.5rem);padding:1.2rem 1.4rem;background:var(--back);color:var(--text);border:1px solid var(--line);border-radius:.8rem}dialog::backdrop{background:#0008}dialog h2{margin:0;overflow-wrap:anywhere}dialog form>label{display:block;margin:.8rem 0}dialog form>label>select,textarea{display:block;width:100%;margin-top:.2rem}fieldset{border:1px solid var(--line);border-radius:.5rem;padding:.4rem .8rem .6rem;margin:.8rem 0;min-width:0}fieldset label{display:block;padding:.2rem 0}#percent{width:5rem}#problem{color:var(--bad);margin:.4rem 0;overflow-wrap:anywhere}.buttons{display:flex;justify-content:flex-end;gap:.7rem}#confirm{background:var(--accent);border-color:var(--accent);color:var(--back);font-weight:600}@media(max-width:900px){body{padding:0 .8rem 3rem}thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}table,tbody{display:block}tbody>tr{display:grid;grid-template-columns:1fr 1fr;border:1px solid var(--line);border-radius:.6rem;padding:.4rem .3rem;margin-bottom:.7rem}tbody>tr.more{display:block;margin-top:-.7rem;border-top:0}tbody>tr.more td{border-radius:.6rem}td{border:0;padding:.25rem .5rem;min-width:0}td[data-label]:before{content:attr(data-label);display:block;color:var(--soft);font-size:.8rem}td.wide{grid-column:1 / -1;min-width:0}td.empty{display:none}td:nth-child(n+3){order:2}tr:not(.more)>td:last-child{order:1;grid-column:2;grid-row:2;align-self:center}#filters label{flex:1 1 8rem}#filters select,#filters input{flex:1;width:100%}#filters label:first-child{flex-basis:100%}}@media(max-width:600px){#summary{grid-template-columns:1fr 1fr}#history li,.sides{grid-template-columns:1fr}}@media(prefers-reduced-motion:no-preference){.bar span,#states span{transition:width .3s,flex-grow .3s}}`
export const pageScript: string = `"use strict";(()=>{function c(e){return document.getElementById(e)}function r(e,t={},...s){let o=document.createElement(e);for(let[n,i]of Object.entries(t))o.setAttribute(n,i);return o.append(...s),o}function y(e,t){e.textContent!==t&&(e.textContent=t)}function ne({token:e,stateOf:t,routes:s,done:o}){let n=c("dialog"),i=c("change"),[a,l]=[c("group"),c("percent")],[u,m]=[c("reason"),c("sure")],[h,p]=[c("confirm"),c("problem")],g,w,d=()=>new FormData(i).get("state"),f=()=>d()==="canary"?\`canary \${Number(l.value)}%\`:d(),$=()=>g??a.value,L=()=>{l.disabled=d()!=="canary",l.required=!l.disabled,y(h,d()===null?"Change":\`Change to \${f()}\`);let v=g===void 0?Oe(s(),a.value).length:1;y(c("sure-text"),\`I mean \${$()==="*"?"all":$()}\${g===void 0?\`: \${v} routes\`:""}\`),u.setCustomValidity(u.value!==""&&u.value.trim()===""?"Say why":"")},T=v=>{g=v,w=g===void 0?void 0:t(g),i.reset(),y(p,""),y(c("dialog-title"),g===void 0?"Change a group":\`Change \${g}\`),y(c("dialog-now"),w===void 0?"States that were set for its parts are taken back.":\`It is at \${w} now.\`),c("group-label").hidden=g!==void 0,g===void 0&&a.replaceChildren(...Ne(s()).map(M=>r("option",{value:M},M==="*"?"* (all)":M))),h.disabled=!1,L(),n.showModal()},S=async()=>{h.disabled=!0,y(p,"");let v={route:$(),state:f(),reason:u.value.trim(),...w!==void 0&&{from:w}};try{let M=await fetch("state",{method:"POST",headers:{"content-type":"application/json","x-csrf-token":e()},body:JSON.stringify(v)}),{error:b,isStored:C}=await M.json();if(!M.ok)throw new Error(b??\`The answer was \${M.status}\`);n.close(),o(\`\${v.route==="*"?"Every route":v.route} is at \${v.state} now\${C===!0?"":"; the store does not have it yet"}\`)}catch(M){y(p,M instanceof Error?M.message:"No answer")}finally{h.disabled=!1}};return i.addEventListener("input",L),i.addEventListener("submit",v=>{v.preventDefault(),h.disabled||S()}),c("cancel").addEventListener("click",()=>n.close()),{open:T,follow:()=>{if(!n.open||g===void 0)return;let v=t(g);v===w||h.disabled||(w=v,y(c("dialog-now"),\`It is at \${v??"no state"} now.\`),y(p,\`The state has changed meanwhile: it is at \${v??"no state"} now.\`))}}}function Ne(e){let t=new Map;for(let o of e){let n=o.slice(o.indexOf(" ")+1).split("/").slice(1),i="";for(let a of n){if(!/^[\\w.~-]+$/.test(a))break;i+=\`/\${a}\`,t.set(i,(t.get(i)??0)+1)}}return["*",...[...t].filter(([,o])=>o>1).sort(([o],[n])=>o.localeCompare(n)).map(([o])=>o).slice(0,500)]}function Oe(e,t){return t==="*"?[...e]:e.filter(s=>{let o=s.slice(s.indexOf(" ")+1);return o===t||o.startsWith(\`\${t}/\`)})}var[H,P,se,U]=[44,6,8,20];function G({title:e,lines:t,format:s,least:o}){let n=r("figure"),i=r("figcaption",{},r("b",{},e)),a=t.map(({ink:p})=>r("span",{class:\`key \${p}\`}));i.append(...a);let l=k("svg",{role:"img"});n.append(i,l);let u=[],m,h=()=>{let[p,g]=[Math.max(160,l.clientWidth),Math.max(80,l.clientHeight)];l.setAttribute("viewBox",\`0 0 \${p} \${g}\`);let w=u.at(-1),d=w?.at??0,f=Math.min(u[0]?.at??0,d-6e4),$=qe(Math.max(o,...u.flatMap(({values:b})=>b))),L=b=>H+(b-f)/(d-f)*(p-H-P),T=b=>g-U-b/$*(g-se-U),S=[];for(let b of[0,$/2,$])S.push(k("line",{class:"grid",x1:H,x2:p-P,y1:T(b),y2:T(b)})),S.push(k("text",{x:H-6,y:T(b)+4,"text-anchor":"end"},s(b)));S.push(k("text",{x:H,y:g-4},\`\${je(d-f)} ago\`)),S.push(k("text",{x:p-P,y:g-4,"text-anchor":"end"},"now")),u.length>1&&t.forEach(({ink:b},C)=>{let ee=u.map(te=>\`\${I(L(te.at))} \${I(T(te.values[C]))}\`).join("L"),[He,Re]=[I(L(u[0].at)),I(L(d))];S.push(k("path",{class:\`area \${b}\`,d:\`M\${He} \${T(0)}L\${ee}L\${Re} \${T(0)}Z\`})),S.push(k("path",{class:\`line \${b}\`,d:\`M\${ee}\`}))});let v=m===void 0?w:De(u,f+(m-H)/(p-H-P)*(d-f));v!==void 0&&m!==void 0&&S.push(k("line",{class:"at",x1:L(v.at),x2:L(v.at),y1:se,y2:g-U}));let M=t.map(({name:b},C)=>\`\${b} \${v===void 0?"–":s(v.values[C])}\`);M.forEach((b,C)=>y(a[C],b)),m===void 0&&l.setAttribute("aria-label",\`\${e}: \${M.join(", ")}\`),l.replaceChildren(...S)};return l.addEventListener("pointermove",({clientX:p})=>{m=p-l.getBoundingClientRect().left,h()}),l.addEventListener("pointerleave",()=>{m=void 0,h()}),new ResizeObserver(()=>h()).observe(n),{figure:n,draw:p=>{u=p,h()}}}function De(e,t){let s;for(let o of e)(s===void 0||Math.abs(o.at-t)<Math.abs(s.at-t))&&(s=o);return s}function qe(e){let t=10**Math.floor(Math.log10(e));return t*[1,2,5,10].find(s=>s*t>=e*.999)}function je(e){return e<9e4?\`\${Math.round(e/1e3)} s\`:\`\${Math.round(e/6e4)} min\`}var I=e=>Math.round(e*10)/10;function k(e,t,s){let o=document.createElementNS("http://www.w3.org/2000/svg",e);for(let[n,i]of Object.entries(t))o.setAttribute(n,String(i));return s!==void 0&&(o.textContent=s),o}var oe=["","State","Migrated","Requests/s: legacy · native","Legacy: p50 / p99 ms","Native: p50 / p99 ms","5xx: legacy · native","Differences","Last asked",""],N="–",B=class{#n;#e;#s;#o;#i=r("span");#l=r("small");#c=r("span");#r=r("span");#t;#a="";#d;constructor(t,s){let o=t.indexOf(" ");this.#s=r("button",{type:"button",class:"open","aria-expanded":"false"},r("b",{},t.slice(0,o)),r("span",{},t.slice(o+1))),this.#s.addEventListener("click",()=>this.#f()),this.#o=r("button",{type:"button","aria-label":\`Change \${t}\`},"Change"),this.#o.addEventListener("click",()=>s(t)),this.#e=oe.map((n,i)=>r("td",{role:"cell",...n!==""&&{"data-label":n},...i===0&&{class:"wide"}})),this.#e[0].append(this.#s),this.#e[1].append(this.#i," ",this.#l),this.#e[2].append(this.#c,r("span",{class:"bar","aria-hidden":"true"},this.#r)),this.#e.at(-1).append(this.#o),this.#n=r("tr",{role:"row"},...this.#e)}elements(){return this.#t===void 0?[this.#n]:[this.#n,this.#t.row]}remove(){for(let t of this.elements())t.remove()}show(t,s,o){this.#d=t;let{legacy:n,native:i,state:a,kind:l,setFor:u,shadow:m,differences:h,lastAskedAt:p,isDead:g}=t;this.#i.className=\`badge is-\${l}\`,y(this.#i,a),y(this.#l,u===t.route||u==="initial"?"":\`by \${u}\`);let w=n.requests+i.requests,d=w===0?0:i.requests/w;y(this.#c,w===0?N:\`\${(d*100).toFixed(d>0&&d<.1?1:0)}%\`),this.#r.style.width=\`\${d*100}%\`,this.#r.parentElement.hidden=w===0,[s===void 0||w===0?N:\`\${ae(s.legacy)} · \${ae(s.native)}\`,ie(n),ie(i),n.watched+i.watched===0?N:\`\${V(n.failureRate)} · \${V(i.failureRate)}\`,m.compared===0&&h.length===0?N:\`\${h.length} open · \${V(m.differenceRate)}\`,g?\`dead, \${W(p)}\`:W(p)].forEach(($,L)=>y(this.#e[L+3],$));for(let $ of this.#e)$.classList.toggle("empty",$.textContent===N);this.#e[6].classList.toggle("bad",i.failureRate>n.failureRate),this.#e[7].classList.toggle("bad",h.length>0),this.#o.hidden=!o,this.#u()}#f(){let t=this.#t!==void 0;if(this.#s.setAttribute("aria-expanded",String(!t)),this.#t!==void 0){this.#t.row.remove(),this.#t=void 0;return}let s=r("td",{role:"cell",colspan:String(oe.length)});this.#t={row:r("tr",{class:"more",role:"row"},s),cell:s},this.#a="",this.#u(),this.#n.after(this.#t.row)}#u(){if(this.#t===void 0||this.#d===void 0)return;let{legacy:t,native:s,shadow:o,differences:n,coolDownUntil:i,setFor:a,isDead:l}=this.#d,u=[\`state set for \${a==="initial"?"the beginning":a}\`,\`\${t.requests} requests to legacy, \${s.requests} to the Controller\`,\`\${t.aborted} and \${s.aborted} given up by clients\`,\`\${o.compared} compared, \${o.different} different, \${o.dropped} dropped\`,...o.noise.length>0?[\`not compared, as legacy itself varies: \${o.noise.join(", ")}\`]:[],...i===void 0?[]:[\`no plan moves it before \${new Date(i).toLocaleTimeString()}\`],...l?["dead"]:[]],m=JSON.stringify([u,n]);m!==this.#a&&(this.#a=m,this.#t.cell.replaceChildren(r("ul",{class:"facts"},...u.map(h=>r("li",{},h))),...n.length===0?[r("p",{},"No open difference.")]:n.map(h=>Fe(h))))}};function Fe({what:e,name:t,legacy:s,native:o,method:n,target:i,count:a,lastAt:l}){let u=(m,h,p)=>r("div",{class:h},r("small",{},m),r("pre",{},p===void 0?"(nothing)":p||"(empty)"));return r("article",{class:"difference"},r("p",{},r("b",{},t===void 0?e:\`\${e} \${t}\`),\` in \${a} \${a===1?"answer":"answers"}, last \${W(l)}; first seen with \`,r("code",{},\`\${n} \${i}\`)),r("div",{class:"sides"},u("legacy","ink-legacy",s),u("native","ink-native",o)))}function ie({p50Ms:e,p99Ms:t}){return e===void 0?N:\`\${re(e)} / \${re(t)}\`}function re(e){return e===void 0?"–":e<10?String(Number(e.toFixed(1))):e.toFixed(0)}function ae(e){return e>=10?e.toFixed(0):String(Number(e.toFixed(1)))}function V(e){return\`\${Number((e*100).toFixed(e<.1?1:0))}%\`}function W(e){if(e===void 0)return"never";let t=Math.max(0,(Date.now()-Date.parse(e))/1e3);return t<60?"just now":t<3600?\`\${Math.floor(t/60)} min ago\`:t<86400?\`\${Math.floor(t/3600)} h ago\`:\`\${Math.floor(t/86400)} days ago\`}var O=["legacy","shadow","canary","native"],Ae=6e5,J=200,Pe=20,R,x,E=new Map,z=new Map,F=new Map,j=[],Z=J,he=Pe,de,K=new Map,ge=e=>\`\${Number((e*100).toFixed(e<.1?1:0))}%\`,Ie=e=>e>=10?e.toFixed(0):String(Number(e.toFixed(1))),D=new Intl.NumberFormat("en"),Be=e=>new Date(e).toLocaleString(void 0,{dateStyle:"medium",timeStyle:"medium"}),me=G({title:"Requests per second",lines:[{name:"legacy",ink:"ink-legacy"},{name:"native",ink:"ink-native"}],format:Ie,least:1}),pe=G({title:"Share of traffic migrated",lines:[{name:"migrated",ink:"ink-share"}],format:ge,least:1});c("charts").append(me.figure,pe.figure);var Q=ne({token:()=>R?.token??"",stateOf:e=>E.get(e)?.state,routes:()=>[...E.keys()],done:e=>ye(e)});function ye(e){y(c("news"),e)}function we(e){x=e,E.clear();for(let s of e.routes)E.set(s.route,s);for(let[s,o]of z)E.has(s)||(o.remove(),z.delete(s));let t=F.size===0;ve(e.history,t),$e()}function _e(e){if(x===void 0)return;let{routes:t,history:s,count:o,...n}=e;for(let i of t){let a=E.get(i.route);E.set(i.route,{...a,...i})}x={...x,...n},ve(s,!1),$e()}function ve(e,t){for(let s of e){let o=F.has(s.id);F.set(s.id,s),!o&&!t&&ye(\`\${be(s.route)} is at \${s.to} now, by \${s.by}: \${s.reason}\`)}}var be=e=>e==="*"?"Every route":e;function $e(){x!==void 0&&(ze(x),Je(x),X(),Ve(x),Se(),Q.follow())}function ze({at:e,since:t,routes:s}){let o=Date.parse(e),n=new Map([...E].map(([a,{legacy:l,native:u}])=>[a,[l.requests,u.requests]])),i=de;if(i!==void 0&&i.since===t){let a=(o-i.at)/1e3;if(a<.5)return;let[l,u]=[0,0];for(let[m,[h,p]]of n){let[g,w]=i.requests.get(m)??[h,p],d={legacy:Math.max(0,h-g)/a,native:Math.max(0,p-w)/a},f=K.get(m);K.set(m,{legacy:f===void 0?d.legacy:(f.legacy+d.legacy)/2,native:f===void 0?d.native:(f.native+d.native)/2}),l+=d.legacy,u+=d.native}for(j.push({at:o,values:[l,u]});j[0].at<o-Ae;)j.shift();me.draw(j),pe.draw(j.filter(({values:m})=>m[0]+m[1]>0).map(({at:m,values:h})=>({at:m,values:[h[1]/(h[0]+h[1])]})))}de={at:o,since:t,requests:n}}function Je({requests:e,nativeShare:t,nativeRequests:s,since:o,store:n,shadow:i,at:a}){let l=[...E.values()],u=l.reduce((d,f)=>d+f.differences.length,0),m=Object.values(i.dropped).reduce((d,f)=>d+f,0),h=l.filter(d=>d.differences.length>0).length;q("Migrated",ge(t),\`\${D.format(s)} of \${D.format(e)} requests\`),q("Routes",D.format(l.length),O.map(d=>\`\${l.filter(f=>f.kind===d).length} \${d}\`).join(", ")),q("Open differences",D.format(u),\`of \${h} routes\`,u>0),q("Compared",D.format(l.reduce((d,f)=>d+f.shadow.compared,0)),\`\${D.format(m)} dropped, \${i.waiting} waiting\`);let p=n.pending>0?\`, \${n.pending} changes wait\`:"";q("Store",n.isAway?"away":n.name,n.isAway?\`\${n.problem??""}\${p}\`:\`\${n.canWrite?"in touch":"read only"}\${p}\`,n.isAway),q("Counted since",new Date(o).toLocaleTimeString(),\`as of \${new Date(a).toLocaleTimeString()}\`),y(c("alarm"),n.isAway?\`The store \${n.name} is away: \${n.problem??""}. The last known states count.\`:"");let g=c("states"),w=O.map(d=>l.filter(f=>f.kind===d).length);for(g.setAttribute("aria-label",O.map((d,f)=>\`\${w[f]} \${d}\`).join(", "));g.children.length<O.length;)g.append(r("span",{class:\`fill-\${O[g.children.length]}\`}));O.forEach((d,f)=>{let $=g.children[f];$.hidden=w[f]===0,$.title=\`\${w[f]} \${d}\`,$.style.flexGrow=String(w[f])})}var le=new Map;function q(e,t,s,o=!1){let n=le.get(e);n===void 0&&(n={value:document.createTextNode(""),note:r("small"),all:r("dd")},n.all.append(n.value,n.note),c("summary").append(r("div",{},r("dt",{},e),n.all)),le.set(e,n)),y(n.value,t),y(n.note,s),n.all.classList.toggle("bad",o)}var[Me,Y,_,Ee]=["filter","by-state","by-kind","order"].map(e=>c(e));function Ue(e){let t=Me.value.toLowerCase().split(/\\s+/).filter(Boolean),s=\`\${e.route} \${e.state}\`.toLowerCase();return!t.every(o=>s.includes(o))||Y.value!==""&&e.kind!==Y.value?!1:_.value==="differences"?e.differences.length>0:_.value==="failures"?e.legacy.failureRate+e.native.failureRate>0:_.value!=="dead"||e.isDead}var Ge={requests:({legacy:e,native:t})=>e.requests+t.requests,differences:({differences:e})=>e.length,slow:({native:e})=>e.p99Ms??-1};function X(){let e=[...E.values()].filter(i=>Ue(i)),t=Ge[Ee.value];t!==void 0&&e.sort((i,a)=>t(a)-t(i));let s=c("rows"),o=e.slice(0,Z),n=o.flatMap(i=>{let a=z.get(i.route);return a===void 0&&z.set(i.route,a=new B(i.route,l=>Q.open(l))),a.show(i,K.get(i.route),R?.canChange===!0),a.elements()});for(n.forEach((i,a)=>{s.children[a]!==i&&s.insertBefore(i,s.children[a]??null)});s.children.length>n.length;)s.lastElementChild.remove();y(c("count"),\`\${e.length} of \${E.size} routes\`),c("none").hidden=e.length>0,Le(c("more"),e.length-o.length,J)}function Le(e,t,s){e.hidden=t<=0,y(e,\`Show \${Math.min(t,s)} more of \${t}\`)}function Ve({dead:e,legacyOnly:t}){ue("dead",e,"Each route was asked lately."),ue("only",t,"Each route of the legacy app has a Controller.")}var ce=new Map;function ue(e,t,s){let o=t.join(\`
\`);if(ce.get(e)===o)return;ce.set(e,o);let n=t.slice(0,500).map(i=>r("li",{},i));t.length>n.length&&n.push(r("li",{},\`and \${t.length-n.length} more\`)),c(e).replaceChildren(n.length===0?r("p",{},s):r("ul",{class:"list"},...n))}var fe="";function Se(){let e=[...F.values()].sort((n,i)=>n.at<i.at?1:-1);for(let{id:n}of e.slice(200))F.delete(n);let t=e.slice(0,he),s=t.map(({id:n})=>n).join(" ");if(s===fe&&s!=="")return;fe=s;let o=t.map(({at:n,route:i,from:a,to:l,by:u,reason:m})=>r("li",{},r("time",{datetime:n},Be(n)),r("div",{},r("p",{},r("code",{},be(i)),a===void 0?" to ":\` from \${a} to \`,r("b",{},l),\` by \${u}\`),r("p",{class:"why"},m))));c("history").replaceChildren(...o.length===0?[r("li",{},"Nothing has been changed yet.")]:o),Le(c("more-history"),Math.min(e.length,200)-t.length,200)}for(let e of[Me,Y,_,Ee])e.addEventListener("input",()=>{Z=J,x!==void 0&&X()});c("filters").addEventListener("submit",e=>e.preventDefault());c("more").addEventListener("click",()=>{Z+=J,X()});c("more-history").addEventListener("click",()=>{he=200,Se()});c("change-many").addEventListener("click",()=>Q.open(void 0));function A(e,t){let s=c("live");s.dataset.is=e,y(s,t)}async function xe(e){let t=await fetch(e,{cache:"no-store"});if(!t.ok)throw new Error(t.status===401||t.status===403?"You are not let in any more":\`The answer was \${t.status}\`);return await t.json()}function Te(){let e=new EventSource("events");e.addEventListener("status",({data:t})=>{A("live","Live"),we(JSON.parse(t))}),e.addEventListener("update",({data:t})=>_e(JSON.parse(t))),e.addEventListener("error",()=>{if(e.readyState!==EventSource.CLOSED)return A("waiting","Connecting again");ke(6)})}async function ke(e){try{we(await xe("status.json")),A("waiting","Asks every five seconds")}catch(t){A("away",t instanceof Error?t.message:"No answer")}setTimeout(()=>e>0?void ke(e-1):Te(),5e3)}async function Ce(){try{R=await xe("session"),y(c("visitor"),R.canChange?R.by:\`\${R.by} (may look only)\`),c("change-many").hidden=!R.canChange,Te()}catch(e){A("away",e instanceof Error?e.message:"No answer"),setTimeout(()=>{Ce()},5e3)}}Ce();})();`
