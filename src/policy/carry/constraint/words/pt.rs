//! Portuguese.

use super::Lists;

pub(super) const LISTS: Lists = Lists {
    openers: "e mas entao por favor tambem ah ok bom agora olha entretanto porem ou lembre",
    joints: "e mas entao ou",
    resumers: "entao portanto por mas logo",
    subjects: "eu ele ela eles elas a o os as um uma meu minha nosso nossa isso isto alguem \
               ninguem gente nos",
    verbs: "use|usa|usem|escreva|escreve|responda|responde|respondam|envie|mande|mostre|coloque|\
            ponha|nomeie|formate|devolva|retorne|fale|escolha|reserve|aceite|inclua|importe|rode|\
            trabalhe|guarde|liste|sugira|compre|cozinhe|sirva|marque|agende",
    rules: "regra|regras|limite|limites|restricao|restricoes|exigencia|requisito|proibicao|\
        teto|condicao|politica|convencao|congelamento|bloqueio",
    demands: "^nunca|^jamais|^sempre|\
        ^nao use/usa/usem/faca/faz/facam/mexa/mexam/toque/inclua/altere/mude/apague/envie/mande/coloque/ponha/escreva/instale/compartilhe/divulgue/crie/rode/execute/responda/fale/sugira/passe/deixe/adicione/remova/aceite/guarde/salve/registre/publique/suba/comite/ultrapasse/exceda|\
        ^evite/evita/evitem|^certifique/certifiquem|^garanta/garantam|\
        ^mantenha/mantem/mantenham|^deixe … como|^deixe … intacto/intacta|^lembre de/que/se|\
        ^limite|^prefira|^so @do|^somente @do|^apenas @do|^@do … apenas|^@do apenas|\
        ^@do somente|^@do so|^@do … sempre|^@do sempre|^@do exclusivamente|^@do no maximo|\
        ^@do … no maximo|^me pergunte|^pergunte … antes|sempre me pergunte/avise/consulte|\
        ^no maximo|^no minimo|^maximo|^pelo menos|no maximo #|ter/tem no maximo|\
        no maximo um/uma/dois/duas/tres/quatro/cinco|colher* no maximo|deve/devem|\
        nao deve/devem/pode/podem/podera/poderao|voce/voces nao pode/podem|so pode/podem|\
        precisa/precisam de|precisa/precisam ser/estar/ter/ficar|\
        tem/têm que ser/estar/ficar/ter/vir|tem/têm de ser/estar/ficar/ter/vir|\
        de jeito nenhum|de modo algum|em hipotese alguma|em nenhuma circunstancia|\
        sob nenhuma|de forma alguma|sem excecao|e proibido|proibido|proibida|e obrigatorio|\
        obrigatorio|obrigatoria|e vedado|a partir de agora|de agora em diante|\
        daqui para frente|daqui pra frente|doravante|ate segunda ordem|pelo resto|\
        ate o fim da conversa|nao mais que/de|nao menos que/de|mais de # nao|menos de #|\
        queremos pelo menos|quero pelo menos|com pelo menos|eu prefiro|prefiro|\
        quero que tod*|quero que … sempre|quero que … fique*|quero que … seja*|quero tudo|\
        nao quero|quero só|sou vegetarian*|sou vegan*|sou alergic*|sou celiac*|\
        sou diabetic*|sou intolerante|e alergic*|nao como|nao posso comer|nao bebo|nada de|\
        nada com|mais nada$|nada mais$|nunca para|nem para|^tod* … exige*|^tod* … precisa*|\
        ^tod* … tem que|^cada … exige*|^cada … deve*|^sem … nem|sem falar comigo|\
        sem me perguntar|sem minha|sem o meu|sem perguntar|sem autorizacao|^toda vez que|\
        ^sempre que|so para mim|so pra mim|^nenhum … pode|^nenhuma … pode|nao e permitid*|\
        nao sao permitid*|^chame/chama me|^me chame/chama|^nada vai/pode/sai/entra/deve|\
        tem/têm que|passa/passam … por mim|passa/passam por mim|^@do … sem|\
        ^@do … em linguagem|^fale/fala comigo|^@do … nao",
    lifts: "^esquec*|^ignore a @rule|^ignore o @rule|^ignore o que|^desconsidere|\
        deixa/deixe pra la|deixa/deixe para la|nao vale mais|nao valem mais|\
        nao se aplica mais|nao se aplicam mais|ja nao se aplica*|ja nao vale*|\
        nao e mais proibid*|pode voltar a|podem voltar a|pode … de novo|pode … novamente|\
        pode … outra vez|voce ja pode|ja podem|ja pode|agora pode|agora voce pode|\
        esta/estao liberad*|volta a ser permitid*|voltam a ser permitid*|@rule caiu|\
        @rule acabou|retiro a @rule|retiro o @rule|mudei de ideia|@rule … caiu|o que quiser*",
    reliefs: "ja nao e necessario|nao e mais necessari*|nao e mais preciso|\
        nao e mais obrigatori*|nao precisa mais|nao precisam mais|ja nao precisa*",
    bans: "nunca|jamais|nao|nada|proibid*|sem|evite",
    replaces: "de agora em diante … em vez d*|a partir de agora … em vez d*|\
        ^use … em vez d*|^use … no lugar d*|^troque|^passe a usar|\
        a partir de agora … nao mais|^mude … para|^mude … pra|em vez d* … a partir de agora|\
        em vez d* … de agora em diante|agora aceita/cabe/sao/e/vale #|agora … aceita #",
    vetoes: "nao se preocupe|nao sei|nao acho|nao estou|nao tem|nao tenho|nao lembro|\
        deve haver|deve ter um|deve ter sido|devia|deviam|deveria ter|eu sempre|eu nunca|\
        nunca tinha|demora/demoram/leva/levam pelo menos|so abre|so funciona|tive que|\
        tivemos que|tinha que|acho que|^nao obrigad*|agora pode ver|nunca *ei|nunca *ou|\
        nunca *ram|nunca *ava|nunca *avam|nunca *ia|nunca *iam|nunca *eu|ver se|saber se|\
        conferir se|verificar se|tenho que|temos que|sempre *ei|sempre *ava|sempre *ou|\
        nunca consegui|nunca vi|nunca fui",
    reports: "diz que|dizem que|disse que|disse para|falou que|falou para|mandou|segundo|\
        de acordo com|mensagem de erro|o erro diz|o erro fala|a documentacao diz|\
        o manual diz|me contaram|me disseram|ouvi que|li que|sera que|me pergunto|\
        nao sei se|gostaria de saber se|^por que|^como|^que tal|^o que|o … diz|a … diz|\
        o … falou|a … falou|o … disse|a … disse",
};
