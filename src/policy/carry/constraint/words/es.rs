//! Spanish.

use super::Lists;

pub(super) const LISTS: Lists = Lists {
    openers: "y pero por favor entonces tambien ah ok bueno ahora oye asi que mira o ademas recuerda",
    joints: "y pero entonces o",
    resumers: "asi entonces por pero luego",
    subjects: "yo el ella ellos ellas la los las un una mi nuestro nuestra eso esto alguien nadie \
               nosotros",
    verbs: "usa|use|usad|usen|utiliza|utilice|escribe|escriba|escribid|responde|responda|\
        contesta|conteste|envia|envie|manda|mande|muestra|muestre|pon|ponga|nombra|formatea|\
        devuelve|habla|hable|elige|elija|reserva|reserve|acepta|incluye|importa|ejecuta|\
        trabaja|guarda|lista|sugiere|compra|cocina|sirve|programa|hablame|explicame|explica|\
        dime|contestame|respondeme|mandame|enviame",
    rules: "regla|reglas|limite|limites|restriccion|restricciones|requisito|requisitos|\
        prohibicion|tope|condicion|politica|norma|convencion|congelacion|bloqueo",
    demands: "^nunca|^jamas|^siempre|^no @do|\
        ^no uses/utilices/hagas/haga/toques/toque/pongas/ponga/subas/suba/borres/borre/cambies/cambie/incluyas/incluya/instales/instale/escribas/escriba/envies/mandes/compartas/comparta/crees/ejecutes/respondas/hables/sugieras/pases/dejes/anadas/elimines/aceptes/guardes/registres/publiques/modifiques/modifique/metas/des/menciones/superes|\
        ^no se debe*|^no se puede*|^evita/evite/evitad/eviten|\
        ^asegurate/asegurese/aseguraos|^cerciorate|^manten/mantenga/mantened|^deja … como|\
        ^deja … tal|^deja … intact*|^recuerda que|^limita/limite|^limitate|^prefiere|\
        ^solo @do|^solamente @do|^unicamente @do|^@do solo|^@do … solo|^@do … solamente|\
        ^@do solamente|^@do unicamente|^@do … unicamente|^@do siempre|^@do … siempre|\
        ^@do exclusivamente|^@do como maximo|^@do … como maximo|^preguntame|\
        ^pregunta … antes|^consultame|siempre antes de|^como maximo|^maximo|^minimo|\
        ^al menos|como maximo|como mucho|a lo sumo|debe/deben/debera/deberan|debes|\
        no debe/deben/debes|no puede/pueden/podra/podran|no puedes|solo puede/pueden/puedes|\
        tiene/tienen que|tienes que|ha/han de|hay que|hace falta al|hace falta que|\
        bajo ningun*|en ningun caso|de ninguna manera|de ningun modo|sin excepcion|\
        sin falta|esta/queda prohibido|prohibido|prohibida|es obligatori*|obligatorio|\
        a partir de ahora|desde ahora|de ahora en adelante|en adelante|de aqui en adelante|\
        hasta nuevo aviso|durante el resto|por el resto|no mas de|no menos de|menos de #|\
        quiero al menos|queremos al menos|con al menos|prefiero|preferiria|quiero que tod*|\
        quiero que … vaya*|quiero que … sea*|quiero que … siempre|quiero todo|no quiero|\
        soy vegetarian*|soy vegan*|soy alergic*|soy celiac*|soy diabetic*|soy intolerante|\
        es alergic*|no como|no puedo comer|no bebo|nada de|nada mas$|y nada mas|nunca a|\
        ^cada … exige*|^cada … requiere*|^tod* … exige*|^tod* … requiere*|^tod* … necesita*|\
        ^cada vez que|^siempre que|sin consultar*|sin preguntar*|sin mi|sin permiso|\
        sin avisar*|^que nadie|^que no|^que tod*|solo a mi|no esta permitid*|no se permite*|\
        ^ningun … puede*|^ninguna … puede*|^llamame|^llameme|pasa/pasan antes por mi|\
        pasa/pasan por mi|^los lunes/martes/miercoles/jueves/viernes/sabados/domingos no se|\
        no se despliega/publica/fusiona/toca/cambia/borra/modifica/comparte/sube|^nada se|\
        ^hablame|^@do … sin|^@do … no",
    lifts: "^olvid* la @rule|^olvid* el @rule|^olvid* lo|^olvid* de|^ignora la @rule|\
        ^ignora lo|ya no se aplica*|ya no vale*|ya no aplica*|ya no rige*|\
        ya no esta prohibid*|ya puedes|ya se puede|ya podeis|puedes volver a|\
        podeis volver a|puedes … otra vez|puedes … de nuevo|vuelve a estar permitid*|\
        vuelven a estar permitid*|se puede … otra vez|se pueden … otra vez|ahora puedes|\
        ahora si puedes|ahora se puede|deja de lado la @rule|queda sin efecto|\
        quedan sin efecto|he cambiado de idea|retiro la @rule|retiro lo|se acabo la @rule|\
        se acabo el @rule|se acabaron las @rule|lo que quieras/queráis/querais/quieran",
    reliefs: "ya no hace falta|ya no es necesari*|ya no es obligatori*|ya no tienes que|\
        ya no tiene que|ya no necesitas|ya no hay que",
    bans: "nunca|jamas|no|nada|prohibid*|sin|evita",
    replaces: "desde ahora … en lugar de*|a partir de ahora … en lugar de*|desde ahora … en vez de*|\
        a partir de ahora … en vez de*|^usa … en lugar de*|^usa … en vez de*|^cambia … por|^cambia a|\
        ^cambia el formato|en lugar de* … a partir de ahora|en vez de* … a partir de ahora|\
        ahora quiero … y no|a partir de ahora … y no|a partir de ahora … ya no|^pasa a usar",
    vetoes: "no te preocupes|no se preocupe|no se si|no lo se|no creo|no encuentro|no tengo|\
        no hay|no recuerdo|debe de haber|debe haber|debimos|debia|debian|deberia haber|\
        yo siempre|siempre pens*|siempre crei*|nunca consegui|nunca he|nunca habia|\
        tarda/tardan al menos|solo abre|solo funciona|tuve que|tuvimos que|tenia que|\
        creo que|^no gracias|se me olvid*|nunca *aron|nunca *ieron|nunca *aba|nunca *aban|\
        nunca *ia|nunca *ian|nunca *o$|ver si|saber si|mirar si|comprobar si|\
        solo falla/pasa/ocurre/sucede|siempre *aba|siempre *ia|nunca vi|nunca fui|nunca supe",
    reports: "dice que|dicen que|dijo que|me dijo|me dijeron|nos dijo|segun|de acuerdo con|\
        mensaje de error|el error dice|la documentacion dice|el manual dice|he oido|\
        he leido|me pregunto|no se si|quisiera saber|^por que no|^como se|^que pasa|\
        el … dice|la … dice|el … dijo|la … dijo",
};
